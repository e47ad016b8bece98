// Git's index file: which bytes each tracked path has, and how long they were in the work tree. Pure.

export interface IndexEntry {
  /** As in trees: 0o100644, 0o100755, 0o120000 (link), 0o160000 (another repository), 0o040000 (a folder left out). */
  readonly mode: number;
  /** Hex. */
  readonly oid: string;
  /** Bytes in the work tree when it was last looked at, modulo 2^32; 0 also where that is not known. */
  readonly size: number;
  /** Git does not look at it, or it is not to be in the work tree. */
  readonly unseen: boolean;
}

export type GitIndex = ReadonlyMap<string, IndexEntry>;

const headerBytes = 12;
const statBytes = 40;

/**
 * By path, relative to the work tree; for paths in a merge one of their stages. Undefined for an index that is kept in
 * several files, or in a form that is not known. Names that are no UTF-8 are left out.
 */
export function parseIndex(bytes: Buffer): GitIndex | undefined {
  // The names of objects are 20 bytes long or, in repositories with SHA-256, 32: the file only fits with one of them.
  return parseWith(bytes, 20) ?? parseWith(bytes, 32);
}

function parseWith(bytes: Buffer, oidBytes: number): GitIndex | undefined {
  if (bytes.length < headerBytes + oidBytes || bytes.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = bytes.readUInt32BE(4);
  if (version < 2 || version > 4) return undefined;
  const entries = new Map<string, IndexEntry>();
  const end = bytes.length - oidBytes;
  let at = headerBytes;
  let name: Buffer = Buffer.alloc(0);
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const start = at;
    if (at + statBytes + oidBytes + 2 > end) return undefined;
    const mode = bytes.readUInt32BE(at + 24);
    const size = bytes.readUInt32BE(at + 36);
    const oid = bytes.toString('hex', at + statBytes, at + statBytes + oidBytes);
    at += statBytes + oidBytes;
    const flags = bytes.readUInt16BE(at);
    at += 2;
    const isExtended = (flags & 0x4000) !== 0;
    const extended = isExtended ? bytes.readUInt16BE(at) : 0;
    if (isExtended) at += 2;
    if (version === 4) {
      const prefix = readOffset(bytes, at);
      if (prefix === undefined || prefix.value > name.length) return undefined;
      const nul = bytes.indexOf(0, prefix.next);
      if (nul < 0 || nul > end) return undefined;
      name = Buffer.concat([name.subarray(0, name.length - prefix.value), bytes.subarray(prefix.next, nul)]);
      at = nul + 1;
    } else {
      const nul = bytes.indexOf(0, at);
      if (nul < 0 || nul > end) return undefined;
      name = bytes.subarray(at, nul);
      // Entries are padded to a multiple of eight bytes, with one NUL at least.
      at = start + ((nul - start + 8) & ~7);
    }
    const text = name.toString();
    if (text.includes('\ufffd') && !Buffer.from(text).equals(name)) continue;
    if (!isPlainName(text)) continue;
    const assumeUnchanged = (flags & 0x8000) !== 0;
    const skipWorktree = (extended & 0x4000) !== 0;
    entries.set(text, { mode, oid, size, unseen: assumeUnchanged || skipWorktree });
  }
  return endsWell(bytes, at, end) ? entries : undefined;
}

/** Git makes no others; a planted one could lead elsewhere. */
const isPlainName = (name: string) => !name.split('/').some((part) => part === '' || part === '.' || part === '..');

/** What follows the entries is a list of named parts, one after the other, up to the checksum. */
function endsWell(bytes: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at + 8 <= end) {
    // Most of the entries are in another file.
    if (bytes.toString('latin1', at, at + 4) === 'link') return false;
    at += 8 + bytes.readUInt32BE(at + 4);
  }
  return at === end;
}

/** Git's own variable-length number, in which no value has two forms. */
function readOffset(bytes: Buffer, from: number): { value: number; next: number } | undefined {
  let at = from;
  let byte = bytes[at++];
  if (byte === undefined) return undefined;
  let value = byte & 127;
  while (byte & 128) {
    byte = bytes[at++];
    if (byte === undefined || value > 2 ** 20) return undefined;
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, next: at };
}
