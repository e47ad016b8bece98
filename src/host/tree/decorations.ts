// The letter and colour of a row, as the Explorer shows them for changed files. Rows have a scheme of their own, so
// that Git's decorations of the file as it is now do not appear on its past.
import * as vscode from 'vscode';
import { rowScheme } from '../contributions';
import { statusWords, type Status } from '../timeline/words';

export interface RowLook {
  /** For the file icon. */
  readonly path: string;
  readonly status?: Status;
  readonly takenBack?: boolean;
}

export function rowUri({ path, status, takenBack }: RowLook): vscode.Uri {
  return vscode.Uri.from({ scheme: rowScheme, path: `/${path}`, query: `${status ?? ''}${takenBack ? '-' : ''}` });
}

const colors: Readonly<Record<Status, string>> = {
  A: 'gitDecoration.addedResourceForeground',
  M: 'gitDecoration.modifiedResourceForeground',
  D: 'gitDecoration.deletedResourceForeground',
  R: 'gitDecoration.renamedResourceForeground',
};

export const rowDecorations: vscode.FileDecorationProvider = {
  provideFileDecoration(uri) {
    if (uri.scheme !== rowScheme) return undefined;
    const [, letter, takenBack] = /^([AMDR]?)(-?)$/.exec(uri.query) ?? [];
    const status = letter ? (letter as Status) : undefined;
    if (!status && !takenBack) return undefined;
    const color = takenBack ? 'disabledForeground' : colors[status!];
    const word = status ? statusWords[status] : '';
    const decoration = new vscode.FileDecoration(
      status,
      takenBack ? [word, 'taken back'].filter(Boolean).join(', ') : word,
    );
    decoration.color = new vscode.ThemeColor(color);
    return decoration;
  },
};
