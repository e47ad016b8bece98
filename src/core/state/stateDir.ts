// Where the per-user state is.
import path from 'node:path';
import envPaths from 'env-paths';

/** Absolute path of the user-state folder; `AGENT_CHECKPOINTS_HOME` wins where it is absolute. Makes nothing. */
export function defaultStateDir(env: NodeJS.ProcessEnv = process.env): string {
  const chosen = env['AGENT_CHECKPOINTS_HOME'];
  if (chosen !== undefined && path.isAbsolute(chosen)) return path.normalize(chosen);
  return envPaths('agent-checkpoints', { suffix: '' }).data;
}
