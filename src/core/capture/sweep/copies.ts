// Copies of files as they are before a command. Many small ones share a file, so that they cost one flush together; the
// next sweep takes over by hard link what nobody touched.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import { CheckpointError } from '../../errors';
import type { Ports } from '../../ports';
import { openToCreate, openToRead, syncDir, syncFile } from '../../state/platform';
import { tryReflink } from '../../store/blobs';
import { hashOpenFile, readInChunks, readToEnd, sha256Of, withFileInPlace, writeFully } from '../../store/plainFile';
import type { CopyRef } from './record';

/** Bytes; larger files have a file of their own. */
const smallBytes = 256 * 1024;
/** Files with many copies that the next sweep goes on with; the rest is copied anew, so that they do not add up. */
const maxShared = 12;

export class CopyWriter {
  readonly #ports: Ports;
  readonly #folder: string;
  readonly #prefix: string;
  readonly #linked = new Map<string, boolean>();
  readonly #made: string[] = [];
  #shared: { name: string; fd: number; length: number } | undefined;

  /** @param id unlike that of every other sweep of this root */
  constructor(ports: Ports, folder: string, id: string) {
    this.#ports = ports;
    this.#folder = folder;
    this.#prefix = `pack-${id}-`;
  }

  /** @param file absolute, its folder by real path. @throws as `withFileInPlace`, and the system's error */
  add(file: string): CopyRef {
    return withFileInPlace(this.#ports, file, (fd, { size }) =>
      size > smallBytes ? this.#alone(file, fd, size) : this.#append(readToEnd(this.#ports, fd, size)),
    );
  }

  #append(bytes: Buffer): CopyRef {
    const { fs } = this.#ports;
    if (this.#shared === undefined) {
      const name = this.#next();
      this.#shared = { name, fd: fs.openSync(path.join(this.#folder, name), openToCreate, 0o600), length: 0 };
    }
    const { name, fd, length } = this.#shared;
    writeFully(this.#ports, fd, bytes);
    this.#shared.length += bytes.length;
    return { pack: name, offset: length, length: bytes.length, sha256: sha256Of(bytes) };
  }

  #alone(file: string, sourceFd: number, expected: number): CopyRef {
    const ports = this.#ports;
    const name = this.#next();
    const target = path.join(this.#folder, name);
    if (tryReflink(ports, file, target, sourceFd)) {
      const fd = ports.fs.openSync(target, openToRead);
      try {
        const { sha256, size } = hashOpenFile(ports, fd, expected);
        return { pack: name, offset: 0, length: size, sha256 };
      } finally {
        ports.fs.closeSync(fd);
      }
    }
    const hash = createHash('sha256');
    const fd = ports.fs.openSync(target, openToCreate, 0o600);
    try {
      const length = readInChunks(ports, sourceFd, expected, (chunk) => {
        hash.update(chunk);
        writeFully(ports, fd, chunk);
      });
      return { pack: name, offset: 0, length, sha256: hash.digest('hex') };
    } finally {
      ports.fs.closeSync(fd);
    }
  }

  #next(): string {
    const name = `${this.#prefix}${this.#made.length}`;
    this.#made.push(name);
    return name;
  }

  /** Takes a copy of an older sweep over; false where that does not work. */
  reuse(from: string, { pack }: CopyRef): boolean {
    const known = this.#linked.get(pack);
    if (known !== undefined) return known;
    const done = linkPlain(this.#ports, path.join(from, pack), path.join(this.#folder, pack));
    this.#linked.set(pack, done);
    return done;
  }

  /** Makes all copies durable. */
  finish(): void {
    if (this.#shared) this.#ports.fs.closeSync(this.#shared.fd);
    this.#shared = undefined;
    for (const name of this.#made) syncFile(this.#ports, path.join(this.#folder, name));
    syncDir(this.#ports, this.#folder);
  }
}

/** The files with copies that the next sweep goes on with: single ones, and the shared ones that hold the most. */
export function worthKeeping(copies: Iterable<CopyRef>): Set<string> {
  const bytes = new Map<string, { length: number; count: number }>();
  for (const { pack, length } of copies) {
    const sum = bytes.get(pack) ?? { length: 0, count: 0 };
    bytes.set(pack, { length: sum.length + length, count: sum.count + 1 });
  }
  const shared = [...bytes].filter(([, { count }]) => count > 1).sort(([, a], [, b]) => b.length - a.length);
  const single = [...bytes].filter(([, { count, length }]) => count === 1 && length > smallBytes);
  return new Set([...shared.slice(0, maxShared), ...single].map(([name]) => name));
}

/** False where the link cannot be made, or what it leads to is no plain file. */
export function linkPlain({ fs }: Ports, from: string, to: string): boolean {
  try {
    fs.linkSync(from, to);
    if (fs.lstatSync(to).isFile()) return true;
    fs.unlinkSync(to);
  } catch {
    // Another file system, or it is gone.
  }
  return false;
}

/** The bytes of a copy, verified. @throws CheckpointError `damaged`; the system's error */
export function readCopy({ fs }: Ports, folder: string, { pack, offset, length, sha256 }: CopyRef): Buffer {
  const noFollow = constants.O_NOFOLLOW ?? 0;
  const fd = fs.openSync(path.join(folder, pack), constants.O_RDONLY | noFollow);
  try {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length;) {
      const read = fs.readSync(fd, bytes, done, length - done, offset + done);
      if (read === 0) break;
      done += read;
    }
    if (sha256Of(bytes) === sha256) return bytes;
  } finally {
    fs.closeSync(fd);
  }
  throw new CheckpointError('damaged', `The copy in ${pack} of a command's sweep was altered.`);
}
