// What tests of forks share: a home with an agent's sessions in it, and what is said on the way to a node.
import * as fs from 'node:fs';
import path from 'node:path';
import { forkFormat } from '../../src/agents/forks';
import { forkSession, type ForkedSession, type ForkRequest } from '../../src/agents/fork/forkSession';
import { transcriptReader } from '../../src/agents/transcripts';
import { openChain, type Chain } from '../../src/core/conversation/chain';
import { followTree } from '../../src/core/conversation/follow';
import type { ConversationTree, Message } from '../../src/core/conversation/model';
import { rootStores } from '../../src/core/store/stores';
import { temporaryRoot, testPorts, type TestPorts } from './ports';

export interface ForkPlace {
  readonly home: string;
  readonly root: string;
  readonly ports: TestPorts;
  /** Writes a file below the home. @returns its absolute path */
  add(file: string, text: string): string;
  /** The conversation that follows a session. */
  chain(agent: string, session: string): Chain;
  fork(chain: Chain, at: string, more?: Partial<ForkRequest>): ForkedSession;
  /** Absolute, below the home. */
  at(...names: string[]): string;
}

export function forkPlace(): ForkPlace {
  const home = temporaryRoot('home');
  const root = temporaryRoot('work');
  const ports = testPorts();
  const stores = rootStores(ports, root);
  const places = { env: { HOME: home }, home };
  const at = (...names: string[]) => path.join(home, ...names);
  return {
    home,
    root,
    ports,
    at,
    add(file, text) {
      fs.mkdirSync(path.dirname(at(file)), { recursive: true });
      fs.writeFileSync(at(file), text);
      return at(file);
    },
    chain(agent, session) {
      const reader = transcriptReader(agent)!;
      const found = reader.locate(ports, { ...places, roots: [root] }).find((each) => each.session === session);
      const { tree } = reader.read(ports, found!);
      const { conversation } = followTree(ports, stores, { agent, session }, tree, { isOver: true });
      return openChain(ports, stores, conversation);
    },
    fork: (chain, node, more) => forkSession(ports, { chain, at: node, root, places, ...more }),
  };
}

/** Role, text and calls of all messages from the root to a node (default: where the conversation is). */
export function saidUpTo({ nodes, leaf }: ConversationTree, id = leaf): unknown[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const said: unknown[][] = [];
  for (let node = byId.get(id ?? ''); node !== undefined; node = byId.get(node.parentId ?? ''))
    said.unshift(saidIn(node.messages));
  return said.flat();
}

export const saidIn = (messages: readonly object[]): unknown[] =>
  (messages as readonly Message[]).map(({ role, content, tool_calls: calls, tool_call_id: answered }) => ({
    role,
    content,
    calls,
    answered,
  }));

/** A copy of a session up to a node, read again. */
export function copied(ports: TestPorts, agent: string, file: string, session: string, entry: string) {
  const format = forkFormat(agent)!;
  let count = 0;
  const fresh = () => `fresh-${++count}`;
  const made = { id: format.newId(0), cwd: '/w', now: 0, fresh };
  const lines = [...format.copy(ports, { file, session }, entry, made)];
  const ending = agent === 'opencode' ? 'json' : 'jsonl';
  const copy = path.join(temporaryRoot('copy'), `rollout-x-${made.id}.${ending}`);
  fs.writeFileSync(copy, lines.map((line) => `${line}\n`).join(''));
  return { lines, id: made.id, tree: transcriptReader(agent)!.read(ports, { file: copy, session: made.id }).tree };
}
