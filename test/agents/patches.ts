// Patches in the form that `apply_patch` takes.

const patchOf = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
const linesOf = (text: string, sign: string) =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => sign + line);
export const addFile = (file: string, text: string) => patchOf(`*** Add File: ${file}`, ...linesOf(text, '+'));
export const updateFile = (file: string, before: string, after: string) =>
  patchOf(`*** Update File: ${file}`, '@@', ...linesOf(before, '-'), ...linesOf(after, '+'));

/** A patch that changes a file while it moves it. */
export const movingPatch = (from: string, to: string, before: string, after: string) =>
  patchOf(`*** Update File: ${from}`, `*** Move to: ${to}`, '@@', ...linesOf(before, '-'), ...linesOf(after, '+'));
