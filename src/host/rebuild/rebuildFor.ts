// The rebuild for other extensions and for language models: the same result as in the preview and on the command line.
import { rebuiltMarkdown } from '../../core/context/markdown';
import { event } from '../../core/context/rebuild';
import { rebuildChain } from '../../core/context/rebuildChain';
import { strictMessages } from '../../core/context/strict';
import type { Ports } from '../../core/ports';
import type { RebuildContextEvent, RebuildContextOptions, RebuiltContext } from '../api';
import type { WorkspaceRoots } from '../workspaceRoots';
import { openPlace, placeOf } from './conversations';

/** @throws TypeError for arguments of the wrong form; CheckpointError as {@link rebuildChain} */
export function rebuildFor(
  ports: Ports,
  roots: WorkspaceRoots,
  rebuilt: (event: RebuildContextEvent) => void,
  options: RebuildContextOptions = {},
): RebuiltContext {
  const { conversation, at, keepTokens, partial } = checked(options);
  const place = placeOf(ports, roots, conversation);
  const chain = openPlace(ports, place);
  const result = rebuildChain(ports, place.root.stores, chain, { at, keepTokens, partial, waitMs: 0 });
  rebuilt({ conversation: chain.name, ...event(result) });
  return {
    ...result,
    conversation: chain.name,
    messages: strictMessages(result.messages),
    markdown: rebuiltMarkdown(result, chain.name),
  };
}

function checked(options: unknown): RebuildContextOptions {
  if (typeof options !== 'object' || options === null) throw new TypeError('The options have to be an object.');
  const { conversation, at, keepTokens, partial } = options as Record<string, unknown>;
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  const isCount = keepTokens === undefined || (typeof keepTokens === 'number' && keepTokens >= 0);
  if (!isText(conversation) || !isText(at)) throw new TypeError('conversation and at have to be texts.');
  if (!isCount) throw new TypeError('keepTokens has to be a number of tokens.');
  if (partial !== undefined && typeof partial !== 'boolean') throw new TypeError('partial has to be a boolean.');
  return options;
}
