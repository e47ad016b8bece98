// The leaf of a chain: the id in `<conversation>.head`.
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { writeFileAtomic } from '../state/atomicFile';
import { inStore } from '../store/inStore';
import type { StoreLayout } from '../store/layout';
import { readToEnd, withPlainFile } from '../store/plainFile';
import { headFile, type ConversationName } from './names';
import { isNodeId } from './record';

/** Undefined where there is none, or no good one. Never throws. */
export function readHead(ports: Ports, store: StoreLayout, name: ConversationName): string | undefined {
  try {
    const text = inStore(ports, store, (within) =>
      withPlainFile(within, headFile(store, name), (fd, { size }) =>
        size > 4096 ? '' : readToEnd(within, fd, size).toString('utf8'),
      ),
    );
    const id = text.replace(/^\ufeff/, '').trim();
    return isNodeId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}

/** @throws CheckpointError `store-unwritable` */
export function writeHead(ports: Ports, store: StoreLayout, name: ConversationName, id: string): void {
  try {
    inStore(ports, store, (within) => writeFileAtomic(within, headFile(store, name), `${id}\n`));
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new CheckpointError('store-unwritable', `${headFile(store, name)} cannot be written: ${String(error)}`, {
      cause: error,
    });
  }
}
