// The last stored blob of each path, so that equal bytes are linked instead of stored again: the state after one edit
// is the state before the next. Best effort, rebuilt by use; what it says is never trusted without a check.
import path from 'node:path';
import { CheckpointError } from '../errors';
import type { Ports } from '../ports';
import { removeQuietly, writeFileAtomic } from '../state/atomicFile';
import { asRecord, readJson } from '../state/jsonFile';
import { inStore, isHeld } from './inStore';
import type { StoreLayout } from './layout';
import type { RelativePath } from './meta';
import { hashOpenFile, sha256Of, withPlainFile } from './plainFile';
import { checkStore, ensureIndexDir } from './stores';
import { isCheckpointId } from './ids';

export interface KnownBlob {
  /** Absolute. */
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  /** The inode's identity and times when this program last knew its bytes; any change voids it. */
  readonly stamp?: string;
  /** Stored or verified by this very call. */
  readonly verified?: true;
}

const indexFile = (store: StoreLayout, file: RelativePath) =>
  path.join(store.index, 'last', sha256Of(Buffer.from(JSON.stringify(file))).slice(0, 32));

/** A claim to be checked with {@link verifyKnown}; undefined where none is recorded. Never throws. */
export function lastBlobOf(ports: Ports, store: StoreLayout, file: RelativePath): KnownBlob | undefined {
  const { blob, sha256, size, stamp } = asRecord(readJson(ports, indexFile(store, file))) ?? {};
  if (typeof blob !== 'string' || typeof sha256 !== 'string' || typeof size !== 'number') return undefined;
  const known = { path: path.join(store.checkpoints, ...blob.split('/')), sha256, size };
  return typeof stamp === 'string' ? { ...known, stamp } : known;
}

/**
 * Records a blob whose bytes the caller has just stored or verified. Unflushed; never throws.
 * @param blob absolute path, in its final place
 */
export function noteLastBlob(
  ports: Ports,
  store: StoreLayout,
  file: RelativePath,
  blob: { path: string; sha256: string; size: number },
): void {
  try {
    ensureIndexDir(ports, store, 'last');
    const record = {
      blob: path.relative(store.checkpoints, blob.path).split(path.sep).join('/'),
      sha256: blob.sha256,
      size: blob.size,
      stamp: stampOf(ports, blob.path),
    };
    // Replacing a file by a rename makes ext4 start to write it at once; this one may well be lost.
    removeQuietly(ports, indexFile(store, file));
    writeFileAtomic(ports, indexFile(store, file), JSON.stringify(record), { flush: false });
  } catch {
    // The next capture stores the bytes again.
  }
}

/** Never throws. */
export function forgetLastBlob(ports: Ports, store: StoreLayout, file: RelativePath): void {
  try {
    inStore(ports, store, (within) => removeQuietly(within, indexFile(store, file)));
  } catch {
    // An index that leads elsewhere is never read either.
  }
}

/**
 * True where the file is a blob of this store, reached over no link, that holds these bytes: by the stamp, else by
 * reading it. Never throws.
 */
export function verifyKnown(ports: Ports, store: StoreLayout, known: KnownBlob): boolean {
  if (known.verified) return true;
  try {
    const parts = path.relative(store.checkpoints, known.path).split(path.sep);
    const [id, side, name] = parts;
    if (parts.length !== 3 || !isCheckpointId(id) || (side !== 'pre' && side !== 'post') || !name) return false;
    const held = isHeld(ports, store);
    if (!held) checkStore(ports, store, id);
    if (!held && !ports.fs.lstatSync(path.dirname(known.path)).isDirectory()) return false;
    if (known.stamp !== undefined && known.stamp === stampOf(ports, known.path)) return true;
    return withPlainFile(ports, known.path, (fd, stat) => {
      if (stat.size !== known.size) return false;
      const found = hashOpenFile(ports, fd, known.size);
      return found.size === known.size && found.sha256 === known.sha256;
    });
  } catch {
    return false;
  }
}

function stampOf({ fs }: Ports, file: string): string {
  const stat = fs.lstatSync(file, { bigint: true });
  if (!stat.isFile()) throw new CheckpointError('damaged', `${file} is not a plain file.`);
  return [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':');
}
