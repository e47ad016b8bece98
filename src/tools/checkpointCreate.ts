import { createCheckpoint } from './create';
import { defineTool, rootProperty } from './tool';

export const checkpointCreate = defineTool({
  name: 'checkpoint_create',
  title: 'Create Checkpoint',
  description:
    'Keeps files as they are now, before something risky is tried; checkpoint_restore with the id that it returns puts ' +
    'them back. Without paths: all files that the history knows and that are still there. Changes no file.',
  readOnly: true,
  input: {
    type: 'object',
    properties: {
      label: { type: 'string', maxLength: 1000, description: 'A name that the person sees on the timeline.' },
      paths: {
        type: 'array',
        maxItems: 1000,
        items: { type: 'string', maxLength: 4096 },
        description: 'Files, or folders for the files in them: relative to the workspace folder.',
      },
      root: rootProperty,
    },
    additionalProperties: false,
  },
  run({ ports, root }, { label, paths = [] }) {
    const { own, others } = createCheckpoint(ports, root, { base: root, paths, label });
    const elsewhere = [...(own.root === root ? [] : [own]), ...others].map(({ root: place, id }) => ({
      root: place,
      id,
    }));
    return [JSON.stringify({ id: own.id, ...(elsewhere.length > 0 && { elsewhere }) })];
  },
});
