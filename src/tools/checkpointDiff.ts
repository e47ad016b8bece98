import { parseCheckpointId } from '../core/store/ids';
import { cutRows, cutText, maxAnswer } from './bounds';
import { diffCheckpoint, type FileDiff } from './diff';
import { defineTool, idProperty, rootProperty } from './tool';

export const checkpointDiff = defineTool({
  name: 'checkpoint_diff',
  title: 'Show What a Checkpoint Changed',
  description:
    'What one checkpoint changed, as unified patches from the state before to the state after, file by file, with the ' +
    'numbers of added and removed lines. Reads only. Large answers are cut, which `cut` says: ask with `path` then.',
  readOnly: true,
  input: {
    type: 'object',
    properties: {
      id: idProperty,
      path: { type: 'string', maxLength: 4096, description: 'Only this file, or the files in this folder.' },
      root: rootProperty,
    },
    required: ['id'],
    additionalProperties: false,
  },
  run({ ports, root }, { id, path }) {
    const compared = diffCheckpoint(ports, root, parseCheckpointId(id), path);
    const { rows, more } = cutRows(compared.files.map(({ file }) => file));
    const files = bounded(rows);
    const left = files.filter(({ patchLeftOut }) => patchLeftOut).length;
    const cut = [
      ...(more > 0 ? [`${more} more files are not listed`] : []),
      ...(left > 0 ? [`${left} patches are left out`] : []),
    ].join(', ');
    return [
      JSON.stringify({ id: compared.id, files, ...(cut !== '' && { cut: `${cut}: name a file or folder in path.` }) }),
    ];
  },
});

/** Patches while there is room; one that is too long by itself is given up to where it ends. */
function bounded(files: readonly FileDiff[]): (FileDiff & { patchLeftOut?: true })[] {
  let left = maxAnswer;
  return files.map(({ patch, ...rest }) => {
    if (patch === undefined) return rest;
    if (left <= 0) return { ...rest, patchLeftOut: true as const };
    const shown = cutText(patch, left);
    left -= patch.length;
    return { ...rest, patch: shown };
  });
}
