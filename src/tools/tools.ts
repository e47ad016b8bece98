// All tools for language models, and the one way to call them.
import type { Ports } from '../core/ports';
import { readSettings } from '../core/state/settings';
import { checkpointCreate } from './checkpointCreate';
import { checkpointDiff } from './checkpointDiff';
import { checkpointList } from './checkpointList';
import { checkpointRestore } from './checkpointRestore';
import { checkInput } from './inputSchema';
import { rebuildContext } from './rebuildContext';
import type { Tool } from './tool';
import { UsageError } from './usage';

export const tools: readonly Tool[] = [
  checkpointList,
  checkpointDiff,
  checkpointRestore,
  checkpointCreate,
  rebuildContext,
];

/** Whether the person has not turned the product off. Where no editor ever said so, it was set up by hand: on. */
export const isOn = (ports: Ports): boolean => readSettings(ports).enabled !== false;

/**
 * Checks the input, finds the root, and runs the tool. Returns the texts of the answer.
 * @param rootOf the root's real path from the argument `root`
 * @throws UsageError, CheckpointError, or the system's error
 */
export function callTool(
  ports: Ports,
  name: string,
  input: unknown,
  rootOf: (named: string | undefined) => string,
): readonly string[] {
  const tool = toolOf(name);
  if (!isOn(ports)) {
    throw new UsageError('Checkpoints are turned off. The person can turn on "agentCheckpoints.enabled" in VS Code.');
  }
  const checked = checkInput(tool.input, input);
  return tool.run({ ports, root: rootOf(checked['root'] as string | undefined) }, checked);
}

/** The input, where it has the form that the tool asks for. @throws UsageError */
export const checkedInput = (name: string, input: unknown): Readonly<Record<string, unknown>> =>
  checkInput(toolOf(name).input, input);

function toolOf(name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) return tool;
  throw new UsageError(`There is no tool ${JSON.stringify(name.slice(0, 100))}.`);
}
