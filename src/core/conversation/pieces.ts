// A line that is no JSON may still hold whole objects: glued to each other, between runs of NUL, or behind one that
// was torn.

export interface Piece {
  /** Bytes from the beginning of the line. */
  readonly start: number;
  readonly end: number;
}

const quote = 0x22;
const backslash = 0x5c;
const open = new Set([0x7b, 0x5b]);
const close = new Set([0x7d, 0x5d]);
const brace = 0x7b;

/** Restarts behind torn objects; each costs another look at the rest of the line. */
const maxRestarts = 32;

/** The objects that `isGood` accepts, in the order of the line; what is between them is noise. */
export function pieces(bytes: Buffer, isGood: (piece: Piece) => boolean): Piece[] {
  return withoutNul(bytes).flatMap(({ start, end }) => objects(bytes, start, end, isGood));
}

function withoutNul(bytes: Buffer): Piece[] {
  const found: Piece[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] === 0) {
      at++;
      continue;
    }
    const nul = bytes.indexOf(0, at);
    const end = nul < 0 ? bytes.length : nul;
    found.push({ start: at, end });
    at = end;
  }
  return found;
}

function objects(bytes: Buffer, start: number, end: number, isGood: (piece: Piece) => boolean): Piece[] {
  const found: Piece[] = [];
  let restarts = 0;
  for (let at = bytes.indexOf(brace, start); at >= 0 && at < end;) {
    const stop = endOfObject(bytes, at, end);
    if (stop > 0 && isGood({ start: at, end: stop })) {
      found.push({ start: at, end: stop });
      at = bytes.indexOf(brace, stop);
      continue;
    }
    // Torn: the next place that looks like the beginning of a record.
    if (++restarts > maxRestarts) break;
    at = bytes.indexOf('{"id"', at + 1);
  }
  return found;
}

/** The offset behind the object that begins at `at`; 0 where it does not end. */
function endOfObject(bytes: Buffer, at: number, end: number): number {
  let depth = 0;
  let inString = false;
  for (let i = at; i < end; i++) {
    const byte = bytes[i]!;
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (open.has(byte)) depth++;
    else if (close.has(byte) && --depth === 0) return i + 1;
  }
  return 0;
}
