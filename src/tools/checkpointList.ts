import { parseCheckpointId } from '../core/store/ids';
import type { ListedJson } from './list';
import { cutRows, cutText, fitting } from './bounds';
import { asListed, listCheckpoints } from './list';
import { defineTool, rootProperty } from './tool';

const defaultLimit = 20;
/** Entries of one checkpoint. */
const maxEntries = 50;
/** Characters of a prompt. */
const maxPrompt = 500;

export const checkpointList = defineTool({
  name: 'checkpoint_list',
  title: 'List Checkpoints',
  description:
    'The checkpoints of this workspace, newest first: what coding agents changed, and in which turn. Each has an id, ' +
    'the agent, session and turn, the prompt, and per path the state before and after. Reads only. ' +
    'Where `next` is given there are older ones: pass it as `cursor`.',
  readOnly: true,
  input: {
    type: 'object',
    properties: {
      file: {
        type: 'string',
        maxLength: 4096,
        description: 'Only those that touched this file, or a file in this folder.',
      },
      session: { type: 'string', maxLength: 500, description: "Only those of this session, by the agent's own id." },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: `At most so many. Default: ${defaultLimit}.` },
      cursor: { type: 'string', maxLength: 40, description: '`next` of the answer before.' },
      root: rootProperty,
    },
    additionalProperties: false,
  },
  run({ ports, root }, { file, session, limit = defaultLimit, cursor }) {
    const after = cursor === undefined ? undefined : parseCheckpointId(cursor);
    const found = listCheckpoints(ports, root, {
      limit,
      ...(after && { after }),
      ...(file !== undefined && { file }),
      ...(session !== undefined && { session }),
    });
    const { rows, more } = fitting(found.checkpoints.map((checkpoint) => cutCheckpoint(asListed(checkpoint))));
    const next = more > 0 ? rows.at(-1)!.id : found.next;
    const damaged = cutRows(found.damaged);
    return [
      JSON.stringify({
        checkpoints: rows,
        damaged: damaged.rows,
        ...(damaged.more > 0 && { moreDamaged: damaged.more }),
        ...(next !== undefined && { next }),
      }),
    ];
  },
});

/** What a call over thousands of files says of itself; `checkpoint_diff` with a path tells of single ones. */
function cutCheckpoint(checkpoint: ListedJson): ListedJson & { moreEntries?: number } {
  const { prompt, restores, restoresPart, ...rest } = checkpoint;
  const entries = cutRows(checkpoint.entries, maxEntries);
  const notCovered = cutRows(checkpoint.notCovered, maxEntries);
  return {
    ...rest,
    ...(prompt !== undefined && { prompt: cutText(prompt, maxPrompt) }),
    ...(restores !== undefined && { restores: restores.slice(0, maxEntries) }),
    ...(restoresPart !== undefined && { restoresPart: restoresPart.slice(0, maxEntries) }),
    entries: [...entries.rows],
    ...(entries.more > 0 && { moreEntries: entries.more }),
    notCovered: [...notCovered.rows],
    ...(notCovered.more > 0 && { moreNotCovered: notCovered.more }),
  };
}
