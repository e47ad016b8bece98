// What is peeked at: the changes of a turn, or of one edit, to a file that is there.
import * as vscode from 'vscode';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import { displayPath } from '../../core/restore/relativePath';
import { listHunks } from '../../core/restore/restore';
import type { HunkPart } from '../../core/restore/hunkPlan';
import type { RestoreTarget } from '../../core/restore/types';
import { entryOf, type Turn, type TurnFile } from '../timeline/turns';
import type { HostRoot } from '../workspaceRoots';
import { sideUri } from '../preview/uri';
import { textPart, type TextPart } from './hunkText';

/** Longer texts are not taken apart at each key stroke. */
export const maxTextLength = 4 * 2 ** 20;

export interface PeekTarget {
  readonly root: HostRoot;
  readonly turn: Turn;
  /** All edits of the turn to the file, or one of them. */
  readonly file: TurnFile;
  readonly of: 'turn' | 'checkpoint';
}

/** The change of a file, ready to be found in an editor's text. */
export interface PeekSubject {
  readonly parts: readonly TextPart[];
  /** The document of the state before each part. */
  readonly before: readonly vscode.Uri[];
}

/** As a restore names it; undefined for a path that is no text. */
export function restoreTarget({ file, of }: PeekTarget, index = 1, hash?: string): RestoreTarget | undefined {
  const last = file.edits.at(-1)!;
  const { path } = entryOf(last);
  if (typeof path !== 'string') return undefined;
  const hunk = { of, index, ...(hash !== undefined && { hash }) };
  return { mode: 'hunk', id: last.checkpoint.id, files: [path], hunk };
}

/** Undefined where the change cannot be shown line by line in the document. */
export async function loadSubject(
  ports: Ports,
  target: PeekTarget,
  document: vscode.TextDocument,
): Promise<PeekSubject | undefined> {
  const named = restoreTarget(target);
  if (!named) return undefined;
  const list = listed(ports, target.root, named);
  if (list === undefined) return undefined;
  const parts: TextPart[] = [];
  for (const [i, part] of list.entries()) {
    const post = await decode(part.post, document);
    const old = await Promise.all(part.hunks.map(({ oldLines }) => decode(oldLines, document)));
    const found = textPart(i, part, { post, old });
    if (found === undefined) return undefined;
    parts.push(found);
  }
  const path = displayPath(named.files![0]!);
  const before = list.map(({ first: { id, entry } }) =>
    sideUri({ type: 'stored', root: target.root.hash, id, entry, side: 'pre', path }),
  );
  return { parts, before };
}

function listed(ports: Ports, root: HostRoot, target: RestoreTarget): readonly HunkPart[] | undefined {
  try {
    const list = listHunks(ports, root.path, target);
    return typeof list === 'string' ? undefined : list.parts;
  } catch (error) {
    // Foreign, damaged or gone: the diff tells.
    if (CheckpointError.is(error)) return undefined;
    throw error;
  }
}

/** Lines as bytes in latin-1, as the editor shows them. */
async function decode(lines: readonly string[], { encoding }: vscode.TextDocument): Promise<string> {
  const bytes = Buffer.from(lines.join(''), 'latin1');
  return (await vscode.workspace.decode(bytes, { encoding })).replace(/^\ufeff/, '');
}
