// Looking through the messages of a chain, in slices: the file may be large, and the person types on.
import type { Chain } from '../../core/conversation/chain';
import { addedMessages, contentText } from '../../core/conversation/shown';

/** Records between two breaks. */
const slice = 200;
const maxFound = 5000;

/**
 * @param isVoid asked between slices: a newer search has begun
 * @param report gets all that was found so far
 */
export async function searchChain(
  chain: Chain,
  query: string,
  isVoid: () => boolean,
  report: (indices: readonly number[], done: boolean) => void,
): Promise<void> {
  const wanted = query.toLowerCase();
  const found: number[] = [];
  const count = wanted === '' ? 0 : chain.nodes.length;
  for (let index = 0; index < count && found.length < maxFound; index++) {
    if (matches(chain, index, wanted)) found.push(index);
    if (index % slice !== slice - 1) continue;
    await new Promise(setImmediate);
    if (isVoid()) return;
    report(found, false);
  }
  report(found, true);
}

function matches(chain: Chain, index: number, wanted: string): boolean {
  const node = chain.nodes[index];
  if (node === undefined) return false;
  try {
    const messages = addedMessages(chain.record(node.id), node, chain.nodes[node.parent]);
    return messages.some(
      (message) =>
        contentText(message).toLowerCase().includes(wanted) ||
        (message['tool_calls'] !== undefined && JSON.stringify(message['tool_calls']).toLowerCase().includes(wanted)),
    );
  } catch {
    return false;
  }
}
