// The text of an apply_patch call: which files it touches, and each file's own part of it.
import type { Expected, PathWrite } from '../core/capture/request';

export interface FilePatch {
  readonly op: 'add' | 'update' | 'delete';
  readonly path: string;
  readonly moveTo?: string;
  /** Body lines without their line ends, with their leading `+`, `-`, space or `@@`. */
  readonly lines: readonly string[];
}

// A body line begins with +, -, a space or @@. A header with leading spaces is accepted, though such a line may also be
// context: to capture one file too many is harmless, to miss one is not.
const header = /^\s*\*\*\* (Add File|Update File|Delete File|Move to):(.*)$/;
const marker = /^\s*\*\*\* (Begin Patch|End Patch|End of File)\s*$/;

/** True for a text that names at least one file in the way of apply_patch. */
export const isPatch = (text: string) =>
  /^[^\S\n\r\u2028\u2029]*\*\*\* (Add File|Update File|Delete File): /m.test(text);

/** Reads headers and bodies; wrappers around the patch (a heredoc, a shell command) are passed over. */
export function parsePatch(text: string): FilePatch[] {
  const files: { op: FilePatch['op']; path: string; moveTo?: string; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, kind, rest] = header.exec(line) ?? [];
    const name = rest?.trim();
    const current = files.at(-1);
    if (kind === 'Move to') {
      if (current && name) current.moveTo = name;
    } else if (kind !== undefined) {
      if (name) files.push({ op: kind.slice(0, -5).toLowerCase() as FilePatch['op'], path: name, lines: [] });
    } else if (/^\s*\*\*\* End Patch\s*$/.test(line)) {
      break;
    } else if (current && !marker.test(line)) {
      current.lines.push(line);
    }
  }
  return files;
}

/**
 * The writes of a patch. Every path counts, also the destination of a move, existing or not: "was absent" is a
 * pre-image too.
 *
 * @param absolute turns a name in the patch into an absolute path, or undefined where it is none
 */
export function patchWrites(files: readonly FilePatch[], absolute: (name: string) => string | undefined): PathWrite[] {
  const writes = new Map<string, PathWrite>();
  const add = (write: PathWrite) => {
    // A path that is named twice is changed twice: what comes out is not worth predicting.
    writes.set(write.path, writes.has(write.path) ? { path: write.path } : write);
  };
  for (const file of files) {
    const path = absolute(file.path);
    if (path === undefined) continue;
    const target = file.moveTo === undefined ? undefined : absolute(file.moveTo);
    if (target !== undefined && target !== path) {
      add({ path, expected: { type: 'absent' } });
      add({ path: target, expected: expectedOf(file), renamedFrom: path });
    } else {
      add({ path, expected: expectedOf(file) });
    }
  }
  return [...writes.values()];
}

function expectedOf(file: FilePatch): Expected {
  if (file.op === 'delete') return { type: 'absent' };
  if (file.op === 'update') return { type: 'patch', lines: file.lines };
  const added = file.lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
  // Tools differ in whether the last line ends in a line feed; one that is added is known again, one left out is not.
  return { type: 'content', text: added.join('\n') };
}
