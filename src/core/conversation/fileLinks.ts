// Which file checkpoints the tool calls of a conversation made.
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import type { CheckpointId } from '../store/ids';
import { listIds, readMeta } from '../store/reader';
import type { RootStores } from '../store/stores';

/** VS Code marks a call that it repeats. */
export const withoutRepeat = (toolUse: string) => toolUse.replace(/__vscode-\d+$/, '');

/**
 * The file checkpoints of a session by tool call; the store is read once, when first asked. Damaged ones are left out.
 */
export function fileLinks(
  ports: Ports,
  stores: RootStores,
  session: string,
): (calls: readonly string[]) => CheckpointId[] {
  let byCall: Map<string, CheckpointId[]> | undefined;
  return (calls) => {
    byCall ??= readLinks(ports, stores, session);
    return calls.flatMap((call) => byCall!.get(withoutRepeat(call)) ?? []);
  };
}

function readLinks(ports: Ports, stores: RootStores, session: string): Map<string, CheckpointId[]> {
  const found = new Map<string, CheckpointId[]>();
  // Oldest first, as the conversation goes.
  for (const { id, store } of listIds(ports, stores).reverse()) {
    try {
      const { agent } = readMeta(ports, store, id);
      if (agent?.session !== session || agent.toolUse === undefined) continue;
      const call = withoutRepeat(agent.toolUse);
      found.set(call, [...(found.get(call) ?? []), id]);
    } catch (error) {
      if (!(error instanceof CheckpointError)) throw error;
    }
  }
  return found;
}
