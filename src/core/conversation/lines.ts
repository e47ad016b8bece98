// Lines of a file of any size: split on LF alone, never held whole where they are too long.

/** Bytes; a longer line is kept in the file, but not taken into memory. */
export const maxLineBytes = 32 * 2 ** 20;
/** What is looked at of a line that is too long. */
const headBytes = 64 * 2 ** 10;

export interface Line {
  /** Of its first byte in the file. */
  readonly offset: number;
  /** Without the LF. */
  readonly length: number;
  /** Without the LF; valid only during the call. Only the beginning where it is `tooLong`. */
  readonly bytes: Buffer;
  readonly tooLong: boolean;
}

const lf = 0x0a;

/** Takes pieces of a file in order and gives back its lines. */
export class LineSplitter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  #length = 0;
  /** Offset of the first byte of the line that is not complete yet. */
  #start: number;

  constructor(offset: number) {
    this.#start = offset;
  }

  /** Where the line begins that has no LF yet. */
  get offset(): number {
    return this.#start;
  }

  /** Bytes of it so far. */
  get pending(): number {
    return this.#length;
  }

  /** `chunk` is not kept. */
  push(chunk: Buffer, use: (line: Line) => void): void {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(lf, from);
      if (end < 0) break;
      this.#finish(chunk.subarray(from, end), use);
      this.#start += this.#length + 1;
      this.#length = 0;
      from = end + 1;
    }
    if (from < chunk.length) this.#hold(Buffer.from(chunk.subarray(from)));
  }

  /** The line without an LF at the end of the file, if there is one; it stays what further pieces go on with. */
  rest(): Line | undefined {
    if (this.#length === 0) return undefined;
    const bytes = Buffer.concat(this.#held);
    this.#held = [bytes];
    return { offset: this.#start, length: this.#length, bytes, tooLong: this.#length > maxLineBytes };
  }

  #finish(last: Buffer, use: (line: Line) => void): void {
    this.#length += last.length;
    const tooLong = this.#length > maxLineBytes;
    let bytes = last;
    if (this.#held.length > 0) {
      if (!tooLong) this.#held.push(last);
      bytes = Buffer.concat(this.#held);
      this.#held = [];
      this.#heldBytes = 0;
    }
    use({ offset: this.#start, length: this.#length, bytes: tooLong ? bytes.subarray(0, headBytes) : bytes, tooLong });
  }

  #hold(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > maxLineBytes) {
      if (this.#heldBytes > headBytes || this.#held.length === 0) {
        const beginning = Buffer.concat([...this.#held, piece]).subarray(0, headBytes);
        this.#held = [Buffer.from(beginning)];
        this.#heldBytes = beginning.length;
      }
      return;
    }
    this.#held.push(piece);
    this.#heldBytes += piece.length;
  }
}
