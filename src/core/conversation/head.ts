// The leaf of a chain: the id in `<conversation>.head`. A line and the head cannot be written at once: what the head is to
// name stands beside it until it does.
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { writeFileAtomic } from '../state/atomicFile';
import { inStore } from '../store/inStore';
import type { StoreLayout } from '../store/layout';
import { readToEnd, withPlainFile } from '../store/plainFile';
import { headFile, nextFile, type ConversationName } from './names';
import { isNodeId } from './record';

/** Undefined where there is none, or no good one. Never throws. */
export function readHead(ports: Ports, store: StoreLayout, name: ConversationName): string | undefined {
  const id = readSmall(ports, store, headFile(store, name));
  return isNodeId(id) ? id : undefined;
}

/**
 * What the head was to name when the process ended between the line and the head; the line itself may not be there.
 * Never throws.
 */
export function readNext(ports: Ports, store: StoreLayout, name: ConversationName, head: string): string | undefined {
  const [next, before] = readSmall(ports, store, nextFile(store, name)).split('\n');
  return before === head && isNodeId(next) ? next : undefined;
}

/** Before the line. Without it, the worst is that the conversation goes on from where it was. Never throws. */
export function announceHead(ports: Ports, store: StoreLayout, name: ConversationName, id: string): void {
  const head = readHead(ports, store, name);
  // Without a head the conversation goes on from its last line by itself.
  if (head === undefined || /[\r\n]/.test(id + head)) return;
  try {
    inStore(ports, store, (within) =>
      writeFileAtomic(within, nextFile(store, name), `${id}\n${head}\n`, { flush: false }),
    );
  } catch {
    // As it was before.
  }
}

/** Never throws. */
function forgetNext(ports: Ports, store: StoreLayout, name: ConversationName): void {
  try {
    if (ports.fs.lstatSync(nextFile(store, name), { throwIfNoEntry: false }) === undefined) return;
    inStore(ports, store, (within) => within.fs.rmSync(nextFile(store, name), { force: true }));
  } catch {
    // It counts only while the head is the one that it names.
  }
}

/** Empty where it cannot be read. Never throws. */
function readSmall(ports: Ports, store: StoreLayout, file: string): string {
  try {
    const text = inStore(ports, store, (within) =>
      withPlainFile(within, file, (fd, { size }) => (size > 4096 ? '' : readToEnd(within, fd, size).toString('utf8'))),
    );
    return text.replace(/^\ufeff/, '').trim();
  } catch {
    return '';
  }
}

/** By itself: nothing is written along with it. @throws CheckpointError `store-unwritable` */
export function writeHead(ports: Ports, store: StoreLayout, name: ConversationName, id: string): void {
  forgetNext(ports, store, name);
  put(ports, store, name, id);
}

/** Behind the line that {@link announceHead} told of. @throws CheckpointError `store-unwritable` */
export function settleHead(ports: Ports, store: StoreLayout, name: ConversationName, id: string): void {
  put(ports, store, name, id);
  forgetNext(ports, store, name);
}

function put(ports: Ports, store: StoreLayout, name: ConversationName, id: string): void {
  try {
    inStore(ports, store, (within) => writeFileAtomic(within, headFile(store, name), `${id}\n`));
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new CheckpointError('store-unwritable', `${headFile(store, name)} cannot be written: ${String(error)}`, {
      cause: error,
    });
  }
}
