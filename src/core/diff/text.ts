// Whether bytes are text, and in which encoding, for showing and counting only: nothing is ever written back from it.

export type TextEncoding = 'utf-8' | 'utf-8-bom' | 'utf-16le' | 'utf-16be' | 'latin1';

export interface DecodedText {
  /** Without the byte order mark; line endings as they are. */
  readonly text: string;
  /** `latin1` stands for any 8-bit encoding that is not known: characters may be shown wrong, lines are right. */
  readonly encoding: TextEncoding;
}

const sniffedBytes = 8192;

/** Undefined for binary content. */
export function decodeText(bytes: Uint8Array): DecodedText | undefined {
  const [a, b, c] = bytes;
  if (a === 0xff && b === 0xfe) return utf16('utf-16le', bytes.subarray(2));
  if (a === 0xfe && b === 0xff) return utf16('utf-16be', bytes.subarray(2));
  const head = bytes.subarray(0, sniffedBytes);
  if (head.includes(0)) {
    const guess = guessUtf16(head);
    return guess === undefined ? undefined : utf16(guess, bytes);
  }
  const bom = a === 0xef && b === 0xbb && c === 0xbf;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bom ? bytes.subarray(3) : bytes);
    return { text, encoding: bom ? 'utf-8-bom' : 'utf-8' };
  } catch {
    return looksBinary(head) ? undefined : { text: Buffer.from(bytes).toString('latin1'), encoding: 'latin1' };
  }
}

function utf16(encoding: 'utf-16le' | 'utf-16be', bytes: Uint8Array): DecodedText | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const copy = Buffer.from(bytes);
  return { text: (encoding === 'utf-16be' ? copy.swap16() : copy).toString('utf16le'), encoding };
}

/** Without a mark: Latin text has every second byte zero, and nearly none of the others. */
function guessUtf16(head: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const zeros = [0, 0];
  head.forEach((byte, i) => byte === 0 && zeros[i % 2]!++);
  const half = head.length / 2;
  if (zeros[1]! > half * 0.7 && zeros[0]! < half * 0.05) return 'utf-16le';
  if (zeros[0]! > half * 0.7 && zeros[1]! < half * 0.05) return 'utf-16be';
  return undefined;
}

/** Control characters that no text has. */
function looksBinary(head: Uint8Array): boolean {
  const controls = head.filter(
    (byte) => byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27,
  );
  return controls.length > head.length * 0.01;
}
