// Storing one blob: shared by link where the store has the bytes already, else written and flushed while it is hashed.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import path from 'node:path';
import { CheckpointError, errorCode } from '../errors';
import type { Ports } from '../ports';
import { removeQuietly } from '../state/atomicFile';
import { openToCreate, openToRead, placeOnClose } from '../state/platform';
import type { BlobSource } from './draft';
import { verifyKnown, type KnownBlob } from './lastBlob';
import type { StoreLayout } from './layout';
import {
  hashOpenFile,
  readInChunks,
  readToEnd,
  sha256Of,
  withFileInPlace,
  withPlainFile,
  writeFully,
} from './plainFile';

/**
 * Bytes. Files up to this are read whole: they are hashed first and not written at all where their bytes are known.
 * Larger ones are copied in pieces, since fresh memory costs more than reading a file from the cache again.
 */
const wholeBytes = 64 * 2 ** 10;
/** Bytes. Larger ones are cloned where the file system can; for smaller ones the attempt costs more than it saves. */
const cloneBytes = 8 * 2 ** 20;

export interface StoredBlob {
  /** Lower-case hex. */
  readonly sha256: string;
  /** Bytes. */
  readonly size: number;
  /** Permission bits of a source file. */
  readonly mode?: number;
  /** It shares its bytes with an older blob, which was flushed. */
  readonly linked?: boolean;
}

/** What the store may hold already. */
export interface Candidates {
  /** Blobs said to have this hash; each is verified before it is linked. */
  readonly shareable: (sha256: string) => readonly KnownBlob[];
  /** Whether one of them has that size (bytes): a large source of another size need not be hashed beforehand. */
  readonly hasSize: (size: number) => boolean;
}

/** The source, not the store, is at fault: the checkpoint goes on and says so. */
export class SourceError extends Error {
  readonly code: string;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = errorCode(cause) ?? (CheckpointError.is(cause) ? 'ENOTFILE' : 'EIO');
  }
}

/**
 * Stores a source's bytes at `target`, not yet flushed unless `linked`.
 * @throws SourceError; else the system's error about the store (`EEXIST`: `target` was there), and then no part is left
 */
export function storeBlob(
  ports: Ports,
  store: StoreLayout,
  source: BlobSource,
  target: string,
  candidates: Candidates,
): StoredBlob {
  switch (source.type) {
    case 'bytes':
      return storeBytes(ports, store, source.bytes, target, candidates, source.sha256);
    case 'link':
      if (isIn(store, source) && verifyKnown(ports, store, source) && linkTo(ports, source, target)) {
        return linked(source);
      }
      return storeLinked(ports, source, target);
    case 'file':
      return fromFile(ports, source.path, (fd, stat) => {
        const mode = stat.mode & 0o7777;
        if (stat.size > wholeBytes) {
          return { ...storeLarge(ports, store, source.path, fd, stat, target, candidates), mode };
        }
        const bytes = asSourceError(() => readToEnd(ports, fd, stat.size));
        return { ...storeBytes(ports, store, bytes, target, candidates), mode };
      });
  }
}

const isIn = ({ checkpoints }: StoreLayout, blob: { path: string }) => blob.path.startsWith(checkpoints + path.sep);

const linked = ({ sha256, size }: StoredBlob): StoredBlob => ({ sha256, size, linked: true });

function storeBytes(
  ports: Ports,
  store: StoreLayout,
  bytes: Uint8Array,
  target: string,
  candidates: Candidates,
  sha256 = sha256Of(bytes),
): StoredBlob {
  const blob = { sha256, size: bytes.length };
  if (shareKnown(ports, store, blob, target, candidates)) return linked(blob);
  create(ports, target, (fd) => writeFully(ports, fd, bytes));
  return blob;
}

function storeLarge(
  ports: Ports,
  store: StoreLayout,
  source: string,
  sourceFd: number,
  stat: Stats,
  target: string,
  candidates: Candidates,
): StoredBlob {
  if (candidates.hasSize(stat.size)) {
    // Only the stored bytes count: if they are copied after all, they are hashed again.
    const found = fromFile(ports, source, (fd) => asSourceError(() => hashOpenFile(ports, fd, stat.size)));
    if (shareKnown(ports, store, found, target, candidates)) return linked(found);
  }
  if (stat.size > cloneBytes && tryReflink(ports, source, target, sourceFd)) {
    return withPlainFile(ports, target, (fd) => hashOpenFile(ports, fd, stat.size));
  }
  return copyHashed(ports, sourceFd, stat.size, target);
}

function copyHashed(ports: Ports, sourceFd: number, expected: number, target: string): StoredBlob {
  const hash = createHash('sha256');
  let size = 0;
  create(ports, target, (fd) => {
    size = readInChunks(
      ports,
      sourceFd,
      expected,
      (chunk) => {
        hash.update(chunk);
        writeFully(ports, fd, chunk);
      },
      (error) => new SourceError(error),
    );
  });
  return { sha256: hash.digest('hex'), size };
}

/** A blob of another store, or one that could not be linked. */
function storeLinked(ports: Ports, source: BlobSource & { type: 'link' }, target: string): StoredBlob {
  return fromSource(ports, source.path, withPlainFile, (sourceFd) => {
    const copied = copyHashed(ports, sourceFd, source.size, target);
    if (copied.sha256 === source.sha256 && copied.size === source.size) return copied;
    removeQuietly(ports, target);
    throw new SourceError(new CheckpointError('damaged', `${source.path} was altered: its hash does not match.`));
  });
}

function shareKnown(
  ports: Ports,
  store: StoreLayout,
  { sha256, size }: StoredBlob,
  target: string,
  candidates: Candidates,
): boolean {
  // An empty file costs nothing, and file systems limit the links of one file.
  if (size === 0) return false;
  return candidates
    .shareable(sha256)
    .some(
      (known) =>
        known.size === size && isIn(store, known) && verifyKnown(ports, store, known) && linkTo(ports, known, target),
    );
}

/** False where the file system has no (more) links. */
function linkTo({ fs }: Ports, known: KnownBlob, target: string): boolean {
  try {
    fs.linkSync(known.path, target);
  } catch (error) {
    if (['EMLINK', 'EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'ENOENT'].includes(errorCode(error) ?? '')) {
      return false;
    }
    throw error;
  }
  // What was verified could have been exchanged for a link in between.
  if (fs.lstatSync(target).isFile()) return true;
  fs.unlinkSync(target);
  return false;
}

/**
 * Clones a file where the file system shares the bytes until one side changes; false where it cannot. The clone is
 * owner-only and not flushed. `fd`: the open source, so that an exchanged name is not followed (Linux).
 */
export function tryReflink({ fs }: Ports, source: string, target: string, fd?: number): boolean {
  const from = fd !== undefined && process.platform === 'linux' ? `/proc/self/fd/${fd}` : source;
  try {
    fs.copyFileSync(from, target, constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL);
    const copy = fs.openSync(target, openToRead);
    try {
      fs.fchmodSync(copy, 0o600);
    } finally {
      fs.closeSync(copy);
    }
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw error;
    fs.rmSync(target, { force: true });
    return false;
  }
}

/** Whether a file's copy in this store would be free. The store must exist. Never throws. */
export function canReflink(ports: Ports, store: StoreLayout, file: string): boolean {
  const probe = path.join(store.checkpoints, `.tmp-reflink-${process.pid}`);
  try {
    return withFileInPlace(ports, file, (fd) => tryReflink(ports, file, probe, fd));
  } catch {
    return false;
  } finally {
    removeQuietly(ports, probe);
  }
}

function create(ports: Ports, target: string, write: (fd: number) => void): void {
  const fd = ports.fs.openSync(target, openToCreate, 0o600);
  try {
    try {
      placeOnClose(ports, fd);
      write(fd);
    } finally {
      ports.fs.closeSync(fd);
    }
  } catch (error) {
    removeQuietly(ports, target);
    throw error;
  }
}

const fromFile = <T>(ports: Ports, file: string, use: (fd: number, stat: Stats) => T): T =>
  fromSource(ports, file, withFileInPlace, use);

/** Opens a source; only what is wrong with itself is its error, not what the store does with its bytes. */
function fromSource<T>(ports: Ports, file: string, open: typeof withPlainFile, use: (fd: number, stat: Stats) => T): T {
  let opened = false;
  try {
    return open(ports, file, (fd, stat) => {
      opened = true;
      return use(fd, stat);
    });
  } catch (error) {
    throw opened || error instanceof SourceError ? error : new SourceError(error);
  }
}

function asSourceError<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new SourceError(error);
  }
}
