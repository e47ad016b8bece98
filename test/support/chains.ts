// Chain files for tests: raw lines in a store, and what other programs would write.
import * as fs from 'node:fs';
import path from 'node:path';
import { openChain, type Chain } from '../../src/core/conversation/chain';
import { parseConversationName } from '../../src/core/conversation/names';
import { rootStores, type RootStores } from '../../src/core/store/stores';
import { temporaryRoot, testPorts, unflushed, type TestPorts } from './ports';

export interface ChainPlace {
  readonly root: string;
  readonly ports: TestPorts;
  readonly stores: RootStores;
  /** Absolute path of a file among the conversations. */
  path(name: string): string;
  write(name: string, content: string | Uint8Array): void;
  read(name: string): string;
  open(name: string): Chain;
}

export function chainPlace(ports = testPorts({ fs: unflushed })): ChainPlace {
  const root = temporaryRoot('chain');
  const stores = rootStores(ports, root);
  const file = (name: string) => path.join(stores.primary.conversations, name);
  return {
    root,
    ports,
    stores,
    path: file,
    write(name, content) {
      fs.mkdirSync(stores.primary.conversations, { recursive: true, mode: 0o700 });
      fs.writeFileSync(file(name), content);
    },
    read: (name) => fs.readFileSync(file(name), 'utf8'),
    open: (name) => openChain(ports, stores, parseConversationName(name)),
  };
}

export const user = (content: string) => ({ role: 'user', content }) as const;
export const assistant = (content: string) => ({ role: 'assistant', content }) as const;

/** A record as the Brute gem writes it: the full log, no version. */
export const bruteLine = (id: string, parent: string | null, iteration: number, messages: readonly object[]): string =>
  `${JSON.stringify({ id, parent_id: parent, ts: '2026-07-01T10:00:00Z', iteration, messages })}\n`;

/** A record with only what came since the parent. */
export const deltaLine = (id: string, parent: string | null, messages: readonly object[], more: object = {}): string =>
  `${JSON.stringify({ id, parent_id: parent, v: 1, delta: true, ...more, messages })}\n`;
