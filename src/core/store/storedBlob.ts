// The bytes of a state, out of a store that anybody may have written.
import path from 'node:path';
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { isWindows } from '../state/platform';
import { parseCheckpointId, type CheckpointId } from './ids';
import { checkpointDir, type StoreLayout } from './layout';
import { isHeld } from './inStore';
import type { FileState } from './meta';
import { hashOpenFile, readToEnd, sha256Of, withPlainFile } from './plainFile';
import { checkStore } from './stores';

/**
 * Absolute path of a state's blob inside its checkpoint, with no link on the way; the file itself is not looked at.
 * @throws CheckpointError `bad-id`, `damaged`, `store-refused`
 */
export function blobFile(ports: Ports, store: StoreLayout, id: CheckpointId, state: FileState): string {
  parseCheckpointId(id);
  const held = isHeld(ports, store);
  if (!held) checkStore(ports, store, id);
  const match = /^(pre|post)\/(\d+-[^/\\\0]{1,255})$/.exec(state.blob);
  // On Windows a colon would name a stream of another file.
  if (match === null || (isWindows && state.blob.includes(':'))) {
    throw new CheckpointError('damaged', `${JSON.stringify(state.blob)} is not the name of a stored file.`);
  }
  const side = path.join(checkpointDir(store, id), match[1]!);
  const found = held ? undefined : ports.fs.lstatSync(side, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) throw new CheckpointError('damaged', `${side} is not a folder.`);
  return path.join(side, match[2]!);
}

/**
 * All bytes, with size and hash verified.
 * @throws CheckpointError `bad-id`, `damaged` (missing, altered, no plain file), `store-refused`
 */
export function readBlob(ports: Ports, store: StoreLayout, id: CheckpointId, state: FileState): Buffer {
  return checked(ports, store, id, state, (fd) => {
    const bytes = readToEnd(ports, fd, state.size);
    return { sha256: sha256Of(bytes), size: bytes.length, value: bytes };
  });
}

/** As {@link readBlob}, without holding the bytes: throws where they are not what the metadata says. */
export function verifyBlob(ports: Ports, store: StoreLayout, id: CheckpointId, state: FileState): void {
  checked(ports, store, id, state, (fd) => ({ ...hashOpenFile(ports, fd, state.size), value: undefined }));
}

function checked<T>(
  ports: Ports,
  store: StoreLayout,
  id: CheckpointId,
  state: FileState,
  read: (fd: number) => { sha256: string; size: number; value: T },
): T {
  const file = blobFile(ports, store, id, state);
  const damaged = (what: string, cause?: unknown) =>
    new CheckpointError('damaged', `The stored file ${state.blob} of ${id} ${what}.`, { cause });
  try {
    return withPlainFile(ports, file, (fd, stat) => {
      // Before reading: an altered file may be of any size.
      if (stat.size !== state.size) throw damaged(`has ${stat.size} bytes instead of ${state.size}`);
      const { sha256, size, value } = read(fd);
      if (size !== state.size || sha256 !== state.sha256) throw damaged('was altered: its hash does not match');
      return value;
    });
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw damaged(`cannot be read (${error instanceof Error ? error.message : String(error)})`, error);
  }
}
