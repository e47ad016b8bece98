// The buttons above each change.
import * as vscode from 'vscode';
import type { CommandId } from '../contributions';
import type { StandingHunk } from './hunkText';
import { countsText } from './words';

export interface LensSource {
  readonly onDidChange: vscode.Event<void>;
  hunksIn(document: vscode.TextDocument): readonly StandingHunk[];
  readonly title: string;
}

export class Lenses implements vscode.CodeLensProvider {
  readonly onDidChangeCodeLenses: vscode.Event<void>;

  constructor(private readonly source: LensSource) {
    this.onDidChangeCodeLenses = source.onDidChange;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const hunks = this.source.hunksIn(document);
    return hunks.flatMap((hunk, i) => {
      const line = Math.min(hunk.line, document.lineCount - 1);
      const range = new vscode.Range(line, 0, line, 0);
      const several = hunks.length > 1;
      const lens = (title: string, command: CommandId | '', tooltip?: string) =>
        new vscode.CodeLens(range, { title, command, ...(tooltip && { tooltip }), arguments: [hunk.index] });
      return [
        lens(
          'Undo This Hunk',
          'agentCheckpoints.peekUndoHunk',
          'Put back the lines from before. Nothing else changes.',
        ),
        ...(several
          ? [
              lens('Previous', 'agentCheckpoints.peekPrevious', 'Go to the change above'),
              lens('Next', 'agentCheckpoints.peekNext', 'Go to the change below'),
            ]
          : []),
        ...(hunk.oldLines.length > 0
          ? [lens('Show Before', 'agentCheckpoints.peekShowBefore', 'Show the file as it was before, here')]
          : []),
        lens('Close', 'agentCheckpoints.closePeek', 'Take these marks away'),
        lens(`${i + 1} of ${hunks.length} (${countsText(hunk)}) · ${this.source.title}`, ''),
      ];
    });
  }
}
