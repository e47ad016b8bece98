// Transcripts that are one JSON document each, or several small ones: read again whenever one of them changed.
import type { Ports } from '../ports';
import type { ConversationTree, Damage } from './model';
import type { Followed } from './transcript';
import { reasonOf, withTranscript } from './transcriptFollow';

/** Bytes; V8 cannot hold a text of 512 MB, and the document takes several times its size. */
export const maxDocumentBytes = 128 * 2 ** 20;

interface FollowedDocument extends Followed {
  readonly stamp: string;
}

/**
 * @param files what the tree depends on
 * @param build may throw: the last good tree stands then, with the reason
 */
export function followDocuments(
  ports: Ports,
  files: readonly string[],
  build: () => ConversationTree,
  previous?: Followed,
): Followed {
  const known = previous as FollowedDocument | undefined;
  const stamp = files.map((file) => stampOf(ports, file)).join('\n');
  if (known !== undefined && known.stamp === stamp) return known;
  try {
    return { tree: build(), stamp } as FollowedDocument;
  } catch (error) {
    const damage: Damage = { line: 0, reason: reasonOf(error) };
    // A document that is half written is no reason to forget what it held.
    const tree = known === undefined ? { nodes: [] } : known.tree;
    return { tree: { ...tree, damaged: [damage] }, stamp } as FollowedDocument;
  }
}

function stampOf({ fs }: Ports, file: string): string {
  try {
    const { dev, ino, size, mtimeMs } = fs.statSync(file);
    return `${dev}:${ino}:${size}:${mtimeMs}`;
  } catch {
    return 'absent';
  }
}

/** The text of a document, without a byte order mark. @throws what tells why it cannot be read */
export function readDocument(ports: Ports, file: string, cap = maxDocumentBytes): string {
  return withTranscript(ports, file, (fd, { size }) => {
    if (size > cap) throw new Error(`too large to read (${Math.round(size / 2 ** 20)} MB)`);
    const bytes = Buffer.alloc(size);
    let length = 0;
    while (length < size) {
      const read = ports.fs.readSync(fd, bytes, length, size - length, length);
      if (read === 0) break;
      length += read;
    }
    return bytes
      .subarray(0, length)
      .toString('utf8')
      .replace(/^\ufeff/, '')
      .replace(/\0+$/, '');
  });
}

/** @throws what tells why it cannot be used */
export function parseDocument(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(text.trim() === '' ? 'the file is empty' : 'the file is not JSON, or is not finished');
  }
}
