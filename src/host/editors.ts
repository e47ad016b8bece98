// Texts in open editors that are not on the disk yet.
import * as vscode from 'vscode';
import { displayPath } from '../core/restore/relativePath';
import type { RelativePath } from '../core/store/meta';
import type { HostRoot, WorkspaceRoots } from './workspaceRoots';

export function openDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

/** The bytes that saving the editor would write; undefined where nothing is unsaved. */
export async function encodedText(uri: vscode.Uri): Promise<Uint8Array | undefined> {
  const document = openDocument(uri);
  return document?.isDirty ? encoded(document) : undefined;
}

/** An editor's text in its file's encoding, byte order mark included. */
export async function encoded(document: vscode.TextDocument): Promise<Uint8Array> {
  return await vscode.workspace.encode(document.getText(), { encoding: document.encoding });
}

/** How long an editor may take to notice that its file was written. */
const catchUpMs = 3000;
/** Longer files are not read for this. */
const maxCompared = 4 * 2 ** 20;

/**
 * Waits until an editor without unsaved text shows what its file has. After a write to the disk it does so only once it
 * was told, and what is looked up in its text meanwhile is out of date.
 */
export async function caughtUp(document: vscode.TextDocument): Promise<void> {
  const isBehind = async () => {
    if (document.isDirty || document.isClosed) return false;
    try {
      if ((await vscode.workspace.fs.stat(document.uri)).size > maxCompared) return false;
      const bytes = await vscode.workspace.fs.readFile(document.uri);
      const text = await vscode.workspace.decode(bytes, { encoding: document.encoding });
      return lineText(text) !== lineText(document.getText());
    } catch {
      // Gone, or not readable: nothing to wait for.
      return false;
    }
  };
  if (!(await isBehind())) return;
  await new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(late);
      listener.dispose();
      resolve();
    };
    const late = setTimeout(finish, catchUpMs);
    const listener = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document === document) void isBehind().then((behind) => !behind && finish());
    });
    // It may have come between the look and the listener.
    void isBehind().then((behind) => !behind && finish());
  });
}

/** Editors have one kind of line break, and no byte order mark in their text. */
const lineText = (text: string): string => text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');

/** Files of a root with unsaved text. */
export function unsavedDocuments(roots: WorkspaceRoots, root: HostRoot): Map<string, vscode.TextDocument> {
  const found = new Map<string, vscode.TextDocument>();
  for (const document of vscode.workspace.textDocuments) {
    if (!document.isDirty) continue;
    const located = roots.locate(document.uri);
    if (located?.root === root) found.set(located.path, document);
  }
  return found;
}

/** Notebooks of a root with unsaved changes: their bytes are not to be had. */
export function unsavedNotebooks(roots: WorkspaceRoots, root: HostRoot): string[] {
  return vscode.workspace.notebookDocuments
    .filter(({ isDirty }) => isDirty)
    .map(({ uri }) => roots.locate(uri))
    .filter((located) => located?.root === root)
    .map((located) => located!.path);
}

/** Replaces an editor's text as one undoable edit; does not save. */
export async function putIntoEditor(document: vscode.TextDocument, bytes: Uint8Array): Promise<boolean> {
  const text = await vscode.workspace.decode(bytes, { encoding: document.encoding });
  const edit = new vscode.WorkspaceEdit();
  const { range, replacement } = difference(document, text);
  edit.replace(document.uri, range, replacement);
  const applied = await vscode.workspace.applyEdit(edit);
  return applied;
}

/** Only what differs is replaced, so that cursors and marks elsewhere stay. */
function difference(document: vscode.TextDocument, text: string): { range: vscode.Range; replacement: string } {
  const now = document.getText();
  const most = Math.min(now.length, text.length);
  let head = 0;
  while (head < most && now[head] === text[head]) head++;
  let tail = 0;
  while (tail < most - head && now[now.length - 1 - tail] === text[text.length - 1 - tail]) tail++;
  // Whole lines: a line break of two characters, or a character of two, is not cut.
  const start = head === 0 ? 0 : now.lastIndexOf('\n', head - 1) + 1;
  const end = now.indexOf('\n', now.length - tail);
  const last = end < 0 ? now.length : end + 1;
  const range = new vscode.Range(document.positionAt(start), document.positionAt(last));
  return { range, replacement: text.slice(start, text.length - (now.length - last)) };
}

/** What {@link unsavedDocuments} would be keyed by. */
export const editorKey = (path: RelativePath): string => displayPath(path);
