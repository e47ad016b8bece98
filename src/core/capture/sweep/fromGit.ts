// The bytes of tracked files that were as in Git's index: Git holds them, in the form in which it keeps them.
import path from 'node:path';
import type { Ports } from '../../ports';
import { removeQuietly, uniqueSuffix } from '../../state/atomicFile';
import { readToEnd, withPlainFile } from '../../store/plainFile';
import { git, GitUnusable, type GitOptions, type Repository } from './git';
import type { IndexEntry } from './gitIndex';

/** A path (relative to the work tree) whose bytes are wanted as they were in the work tree. */
export interface Wanted {
  readonly name: string;
  readonly entry: IndexEntry;
}

/** Bytes, or why there are none. */
export type FromGit = Buffer | { readonly reason: string };

interface Attributes {
  readonly filter?: string;
  /** It may be as long in the encoding that Git keeps, and not the same. */
  readonly isConverted?: true;
}

/** Bytes of one call. */
const batchBytes = 32 * 2 ** 20;
/**
 * By name. External filters are not run; what has one is named. Nothing is given whose length is not the one that Git's
 * index has recorded for the work tree.
 * @param scratch absolute folder for files that Git has to write, removed again
 * @param options `index`: that of before the command
 * @throws GitUnusable
 */
export function bytesFromGit(
  ports: Ports,
  repository: Repository,
  wanted: readonly Wanted[],
  maxBytes: number,
  scratch: string,
  options: GitOptions,
): Map<string, FromGit> {
  const found = new Map<string, FromGit>();
  if (wanted.length === 0) return found;
  const attributes = attributesOf(ports, repository, wanted, options);
  const readable = wanted.filter(({ name, entry }) => {
    const { filter } = attributes.get(name) ?? {};
    if (filter === undefined || (entry.mode & 0o170000) === 0o120000) return true;
    found.set(name, {
      reason: `Git keeps it in another form (filter “${filter}”), and no program is run to undo that`,
    });
    return false;
  });
  const unlike: Wanted[] = [];
  let total = 0;
  for (const batch of batches(readable)) {
    if (total > maxBytes) {
      batch.forEach(({ name }) =>
        found.set(name, { reason: `more than ${maxBytes} bytes would have to be read from Git` }),
      );
      continue;
    }
    const raw = readObjects(ports, repository, batch, options);
    for (const { name, entry } of batch) {
      const bytes = raw.get(entry.oid);
      total += bytes?.length ?? 0;
      if (bytes === undefined) found.set(name, { reason: 'Git does not hold its bytes any more' });
      else if ((entry.mode & 0o170000) === 0o120000) found.set(name, bytes);
      else {
        const plain = attributes.get(name)?.isConverted ? undefined : asInWorkTree(bytes, entry.size);
        if (plain === undefined) unlike.push({ name, entry });
        else found.set(name, plain);
      }
    }
  }
  const converted = unlike.length === 0 ? undefined : checkOut(ports, repository, unlike, scratch, options);
  for (const { name } of unlike) {
    const reason = 'what Git holds of it does not have the length that the file had';
    found.set(name, converted?.get(name) ?? { reason });
  }
  return found;
}

/** With the line ends that give the recorded length; undefined where neither does. Pure. */
export function asInWorkTree(bytes: Buffer, size: number): Buffer | undefined {
  const fits = (length: number) => length % 2 ** 32 === size;
  if (fits(bytes.length)) return bytes;
  let bare = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) if (bytes[at - 1] !== 0x0d) bare++;
  if (!fits(bytes.length + bare)) return undefined;
  const out = Buffer.allocUnsafe(bytes.length + bare);
  let to = 0;
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] === 0x0a && bytes[i - 1] !== 0x0d) out[to++] = 0x0d;
    out[to++] = bytes[i]!;
  }
  return out;
}

/**
 * By Git's own conversions (encodings, `$Id$`, line ends), with the attributes that the index of before holds. Git writes
 * the files, as it would into a work tree; that is an empty folder here.
 */
function checkOut(
  ports: Ports,
  { top, filters }: Repository,
  wanted: readonly Wanted[],
  scratch: string,
  options: GitOptions,
): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  const tree = path.join(scratch, `tree-${uniqueSuffix()}`);
  try {
    ports.fs.mkdirSync(tree, { mode: 0o700 });
    const input = Buffer.from(wanted.map(({ name }) => `${name}\0`).join(''));
    git({ top, filters, tree }, ports, ['checkout-index', '-z', '--stdin'], { ...options, input });
    for (const { name, entry } of wanted) {
      const bytes = tryRead(ports, path.join(tree, name));
      if (bytes && bytes.length % 2 ** 32 === entry.size) found.set(name, bytes);
    }
  } catch (error) {
    if (!(error instanceof GitUnusable)) throw error;
  } finally {
    removeQuietly(ports, tree);
  }
  return found;
}

function tryRead(ports: Ports, file: string): Buffer | undefined {
  try {
    return withPlainFile(ports, file, (fd, { size }) => readToEnd(ports, fd, size));
  } catch {
    return undefined;
  }
}

function* batches(wanted: readonly Wanted[]): Generator<Wanted[]> {
  let batch: Wanted[] = [];
  let bytes = 0;
  for (const each of wanted) {
    if (batch.length > 0 && (bytes + each.entry.size > batchBytes || batch.length >= 2000)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(each);
    bytes += each.entry.size;
  }
  if (batch.length > 0) yield batch;
}

function readObjects(
  ports: Ports,
  repository: Repository,
  batch: readonly Wanted[],
  options: GitOptions,
): Map<string, Buffer> {
  const input = Buffer.from([...new Set(batch.map(({ entry }) => entry.oid))].map((oid) => `${oid}\n`).join(''));
  const output = git(repository, ports, ['cat-file', '--batch'], { ...options, input });
  const objects = new Map<string, Buffer>();
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(0x0a, at);
    const [oid, type, size] = output.toString('latin1', at, end < 0 ? output.length : end).split(' ');
    if (end < 0 || oid === undefined) throw new GitUnusable('what Git said of its objects is not understood');
    at = end + 1;
    // `<oid> missing`
    if (type !== 'blob') {
      if (size !== undefined) throw new GitUnusable('an object of a file is something else');
      continue;
    }
    objects.set(oid, output.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return objects;
}

/** As the rules in the work tree and those in the index of before have it: the command may have changed the former. */
function attributesOf(
  ports: Ports,
  repository: Repository,
  wanted: readonly Wanted[],
  options: GitOptions,
): Map<string, Attributes> {
  const attributes = new Map<string, Attributes>();
  const input = Buffer.from(wanted.map(({ name }) => `${name}\0`).join(''));
  for (const from of [[], ['--cached']]) {
    const args = ['check-attr', '-z', '--stdin', ...from, 'filter', 'working-tree-encoding'];
    const fields = git(repository, ports, args, { ...options, input })
      .toString()
      .split('\0');
    for (let i = 0; i + 2 < fields.length; i += 3) {
      const [name, attribute, value] = [fields[i]!, fields[i + 1]!, fields[i + 2]!];
      if (value === 'unspecified' || value === 'unset') continue;
      const before = attributes.get(name) ?? {};
      if (attribute !== 'filter') attributes.set(name, { ...before, isConverted: true });
      else if (repository.filters.includes(value)) attributes.set(name, { ...before, filter: value });
    }
  }
  return attributes;
}
