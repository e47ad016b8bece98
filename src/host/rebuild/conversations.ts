// The conversations that a context can be rebuilt from.
import { chainPath } from '../../core/context/rebuildChain';
import { textOf } from '../../core/context/message';
import { shortLine } from '../../core/context/digestText';
import { afterWriters } from '../../core/conversation/append';
import { openChain, type Chain } from '../../core/conversation/chain';
import { findConversations } from '../../core/conversation/conversations';
import { parseConversationName } from '../../core/conversation/names';
import type { ConversationNode } from '../../core/conversation/model';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';

export interface Place {
  readonly root: HostRoot;
  readonly name: string;
  /** ms since the epoch. */
  readonly changedAt: number;
}

/** Newest first. A store that cannot be read has none. */
export function allConversations(ports: Ports, roots: WorkspaceRoots): Place[] {
  const places = roots.all.flatMap((root) => {
    try {
      return findConversations(ports, root.stores).map(({ chain, changedAt }) => ({
        root,
        name: chain.name,
        changedAt,
      }));
    } catch {
      return [];
    }
  });
  return places.sort((a, b) => b.changedAt - a.changedAt);
}

/** @throws CheckpointError `bad-id`, `store-refused`, `locked` */
export function openPlace(ports: Ports, { root, name }: Pick<Place, 'root' | 'name'>): Chain {
  const chain = openChain(ports, root.stores, parseConversationName(name));
  afterWriters(ports, root.stores, chain, 0);
  return chain;
}

/** The conversation by its name, in one root where that is told; the newest where none is given. @throws CheckpointError `not-found` */
export function placeOf(ports: Ports, roots: WorkspaceRoots, name: string | undefined, rootHash?: string): Place {
  const all = allConversations(ports, roots);
  const found =
    name === undefined
      ? all[0]
      : all.find(
          (place) => place.name === parseConversationName(name) && (rootHash ?? place.root.hash) === place.root.hash,
        );
  if (found !== undefined) return found;
  throw new CheckpointError(
    'not-found',
    name === undefined
      ? 'There is no conversation with an agent in this workspace yet.'
      : `There is no conversation ${name} in this workspace.`,
  );
}

export interface Point {
  readonly id: string;
  /** What was asked there. */
  readonly label: string;
  readonly ts: string | undefined;
}

/** The prompts on the way to where the conversation is now, newest first; then the ends of its other branches. */
export function pointsOf(chain: Chain): Point[] {
  const { leaf, nodes } = chain;
  if (leaf === undefined) return [];
  const path = chainPath(chain, leaf);
  const asked = path.filter(({ messages }) => messages.some(({ role }) => role === 'user'));
  const parents = new Set(nodes.map(({ parent }) => parent));
  const ends = nodes.filter((node, at) => !parents.has(at) && node.id !== leaf && !node.sidechain).slice(-50);
  return [...asked.reverse().map(pointOf), ...ends.map(({ id, ts }) => ({ id, ts, label: `Another branch: ${id}` }))];
}

function pointOf({ id, ts, messages }: ConversationNode): Point {
  const prompt = messages.find(({ role }) => role === 'user');
  return { id, ts, label: shortLine(prompt === undefined ? id : textOf(prompt), 120) || id };
}
