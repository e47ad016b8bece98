// Paths as a store records them: text with `/`, or the bytes of a name that is not UTF-8.
import { isUtf8 } from 'node:buffer';
import type { RelativePath } from '../store/meta';

/** One component, as file calls take it. */
export type Name = string | Buffer;

/**
 * The same for two paths exactly where they are the same bytes. A NUL, which no path has, marks the encoded ones; a text
 * that begins with one is encoded too, so that its key leads back to it, and it is refused.
 */
export const pathKey = (path: RelativePath): string =>
  typeof path === 'string' && !path.startsWith('\0') ? path : `\0${pathBytes(path).toString('latin1')}`;

/** The path behind a key. */
export const pathOfKey = (key: string): RelativePath =>
  key.startsWith('\0') ? { bytes: Buffer.from(key.slice(1), 'latin1').toString('base64') } : key;

/** For people and for JSON: what is not UTF-8 becomes U+FFFD. */
export const displayPath = (path: RelativePath): string =>
  typeof path === 'string' ? path.toWellFormed() : Buffer.from(path.bytes, 'base64').toString('utf8');

export function pathBytes(path: RelativePath): Buffer {
  return typeof path === 'string' ? Buffer.from(path, 'utf8') : Buffer.from(path.bytes, 'base64');
}

/** The components, in order. */
export function pathNames(path: RelativePath): Name[] {
  if (typeof path === 'string') return path.split('/');
  return pathBytes(path)
    .toString('latin1')
    .split('/')
    .map((name) => nameOf(Buffer.from(name, 'latin1')));
}

/** A name as text where it is text. */
export const nameOf = (bytes: Buffer): Name => (isUtf8(bytes) ? bytes.toString('utf8') : bytes);

/** The path made of components. */
export function pathOfNames(names: readonly Name[]): RelativePath {
  if (names.every((name) => typeof name === 'string')) return names.join('/');
  const bytes = names.flatMap((name, i) => (i === 0 ? [Buffer.from(name)] : [Buffer.from('/'), Buffer.from(name)]));
  return { bytes: Buffer.concat(bytes).toString('base64') };
}

/** `dir/name` for a file call. */
export function joinName(dir: string, name: Name): string | Buffer {
  return typeof name === 'string' ? `${dir}/${name}` : Buffer.concat([Buffer.from(`${dir}/`), name]);
}

/** The keys of the folders above a path, nearest last. */
export function parentKeys(path: RelativePath): string[] {
  const names = pathNames(path);
  return names.slice(1).map((_, i) => pathKey(pathOfNames(names.slice(0, i + 1))));
}

/** Order in which a folder comes before what is in it. */
export function comparePaths(a: RelativePath, b: RelativePath): number {
  const [x, y] = [sortable(a), sortable(b)];
  return x < y ? -1 : x > y ? 1 : 0;
}

/** Ends of components sort before everything else, so that `a/x` comes before `a-b`. */
const sortable = (path: RelativePath): string =>
  (typeof path === 'string' ? path : pathBytes(path).toString('latin1')).replaceAll('/', '\0');
