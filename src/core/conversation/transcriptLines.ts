// Lines of a transcript, read in pieces: a file of any size, and a line of any length, in bounded memory.
import type { Ports } from '../ports';

/** Bytes; a longer line is told, with its beginning and its end, but is not held. */
export const maxLineBytes = 32 * 2 ** 20;
/** Bytes that are kept of each end of a longer line. */
export const keptBytes = 16 * 1024;
const chunkBytes = 2 ** 20;
const LF = 0x0a;

export interface Line {
  /** 1 is the first. */
  readonly number: number;
  /** Bytes from the start of the file. */
  readonly offset: number;
  /** Without the line feed; undefined for a line beyond the cap. */
  readonly bytes?: Buffer;
  readonly tooLong?: LongLine;
  /** False for what stands after the last line feed. */
  readonly ended: boolean;
}

export interface LongLine {
  readonly size: number;
  readonly head: Buffer;
  readonly tail: Buffer;
}

export interface LineRange {
  /** Bytes. */
  readonly from: number;
  /** Bytes; what is behind is not read. */
  readonly to: number;
  /** Number of the line that begins at `from`. */
  readonly number: number;
}

/** Split at 0x0A only: U+2028 is a character like others. @throws the system's error */
export function* readLines({ fs }: Ports, fd: number, range: LineRange, cap = maxLineBytes): Generator<Line> {
  let { from: offset, number } = range;
  let at = offset;
  let held = new HeldLine(cap);
  while (at < range.to) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, range.to - at));
    const read = fs.readSync(fd, chunk, 0, chunk.length, at);
    if (read === 0) break;
    at += read;
    let start = 0;
    for (;;) {
      const end = chunk.subarray(0, read).indexOf(LF, start);
      if (end < 0) break;
      held.add(chunk.subarray(start, end));
      yield { number, offset, ended: true, ...held.line() };
      held = new HeldLine(cap);
      number++;
      start = end + 1;
      offset = at - read + start;
    }
    held.add(chunk.subarray(start, read));
  }
  if (held.size > 0) yield { number, offset, ended: false, ...held.line() };
}

class HeldLine {
  size = 0;
  private pieces: Buffer[] = [];
  private long: { head: Buffer; tail: Buffer } | undefined;

  constructor(private readonly cap: number) {}

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.size += piece.length;
    if (this.long === undefined && this.size <= this.cap) {
      this.pieces.push(piece);
      return;
    }
    const kept = this.long?.tail ?? Buffer.concat(this.pieces);
    this.long ??= {
      head: copyOf(Buffer.concat([kept, piece.subarray(0, keptBytes)]).subarray(0, keptBytes)),
      tail: kept,
    };
    this.long.tail = copyOf(
      Buffer.concat([kept.subarray(-keptBytes), piece.subarray(-keptBytes)]).subarray(-keptBytes),
    );
    this.pieces = [];
  }

  line(): { bytes: Buffer } | { tooLong: LongLine } {
    if (this.long !== undefined) return { tooLong: { size: this.size, ...this.long } };
    return { bytes: this.pieces.length === 1 ? this.pieces[0]! : Buffer.concat(this.pieces) };
  }
}

/** Else a small piece would hold the chunk that it came from. */
const copyOf = (bytes: Buffer) => Buffer.from(bytes);
