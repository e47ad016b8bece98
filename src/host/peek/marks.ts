// How changes look in the editor: theme colours only.
import * as vscode from 'vscode';
import { setting } from '../contributions';
import { Disposer } from '../disposable';
import type { StandingHunk } from './hunkText';
import { hoverText, inlineTexts } from './words';

const color = (id: string) => new vscode.ThemeColor(id);

export class Marks extends Disposer {
  readonly #added = this.own(
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: color('diffEditor.insertedLineBackground'),
    }),
  );
  /** The border between the lines where others were removed. */
  readonly #removed = this.own(
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      borderStyle: 'dashed',
      borderWidth: '1px 0 0 0',
      borderColor: color('editorGutter.deletedBackground'),
    }),
  );
  readonly #removedAtEnd = this.own(
    vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      borderStyle: 'dashed',
      borderWidth: '0 0 1px 0',
      borderColor: color('editorGutter.deletedBackground'),
    }),
  );
  readonly #addedGutter = this.#gutter('editorGutter.addedBackground', 'editorOverviewRuler.addedForeground');
  readonly #changedGutter = this.#gutter('editorGutter.modifiedBackground', 'editorOverviewRuler.modifiedForeground');
  readonly #removedGutter = this.#gutter('editorGutter.deletedBackground', 'editorOverviewRuler.deletedForeground');
  readonly #before = this.own(
    vscode.window.createTextEditorDecorationType({
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
      after: {
        margin: '0 0 0 3em',
        color: color('descriptionForeground'),
        backgroundColor: color('diffEditor.removedTextBackground'),
      },
    }),
  );

  #gutter(border: string, ruler: string) {
    return this.own(
      vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        borderStyle: 'solid',
        borderWidth: '0 0 0 3px',
        borderColor: color(border),
        overviewRulerColor: color(ruler),
        overviewRulerLane: vscode.OverviewRulerLane.Left,
      }),
    );
  }

  /** Replaces what is marked in the editor. `facts` is said of every change. */
  set(editor: vscode.TextEditor, hunks: readonly StandingHunk[], facts: string): void {
    const { document } = editor;
    const gutter = setting(vscode.workspace, 'agentCheckpoints.peek.gutter');
    const last = document.lineCount - 1;
    const rangeOf = ({ line, count }: StandingHunk) => {
      const first = Math.min(line, last);
      return new vscode.Range(first, 0, Math.min(first + Math.max(count, 1) - 1, last), 0);
    };
    const only = (test: (hunk: StandingHunk) => boolean, on = true) =>
      on ? hunks.filter(test).map((hunk) => rangeOf(hunk)) : [];
    const isRemoval = ({ count }: StandingHunk) => count === 0;
    const isPure = ({ count, oldLines }: StandingHunk) => count > 0 && oldLines.length === 0;
    const isChange = ({ count, oldLines }: StandingHunk) => count > 0 && oldLines.length > 0;
    const told = (hunk: StandingHunk): vscode.DecorationOptions => ({
      range: rangeOf(hunk),
      hoverMessage: hoverText(hunk, nowOf(document, hunk), facts),
    });
    editor.setDecorations(this.#added, hunks.filter((hunk) => !isRemoval(hunk)).map(told));
    editor.setDecorations(this.#removed, hunks.filter((hunk) => isRemoval(hunk) && hunk.line <= last).map(told));
    editor.setDecorations(this.#removedAtEnd, hunks.filter((hunk) => isRemoval(hunk) && hunk.line > last).map(told));
    editor.setDecorations(this.#addedGutter, only(isPure, gutter));
    editor.setDecorations(this.#changedGutter, only(isChange, gutter));
    editor.setDecorations(this.#removedGutter, only(isRemoval, gutter));
    editor.setDecorations(
      this.#before,
      hunks.flatMap((hunk) =>
        inlineTexts(hunk).map((contentText, i): vscode.DecorationOptions => {
          const { end } = document.lineAt(Math.min(hunk.line + i, last)).range;
          return { range: new vscode.Range(end, end), renderOptions: { after: { contentText } } };
        }),
      ),
    );
  }

  clear(editor: vscode.TextEditor): void {
    this.set(editor, [], '');
  }
}

const nowOf = (document: vscode.TextDocument, { line, count }: StandingHunk): string[] =>
  Array.from({ length: count }, (_, i) => (line + i < document.lineCount ? document.lineAt(line + i).text : ''));
