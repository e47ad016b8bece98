// The names of the tools, for who registers them before anything of them is loaded.
export const toolNames = [
  'checkpoint_list',
  'checkpoint_diff',
  'checkpoint_restore',
  'checkpoint_create',
  'rebuild_context',
] as const;

export type ToolName = (typeof toolNames)[number];
