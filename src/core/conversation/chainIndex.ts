// The index of a chain: built by streaming the file once, in slices, and continued where the file grew.
import type { Stats } from 'node:fs';
import type { Ports } from '../ports';
import { linkNodes, type ChainNode } from './chainNode';
import { LineSplitter, type Line } from './lines';
import type { Damage } from './model';
import { pieces, type Piece } from './pieces';
import { readRecord, recordHead, type ChainRecord } from './record';

const chunkBytes = 2 ** 20;
/** Bytes of the beginning by which a file is known again. */
const headBytes = 1024;
/** Reports of bad lines that are kept; more are counted. */
const maxDamage = 10_000;
const none: readonly never[] = [];

export class ChainIndex {
  nodes: ChainNode[] = [];
  byId = new Map<string, number>();
  damaged: Damage[] = [];
  /** All of them, also those that `damaged` has no room for. */
  damageCount = 0;
  /** Bytes of the file at the last look. */
  size = 0;
  /** Where the last line begins that has no LF; equal to `size` where there is none. */
  tornAt = 0;
  /** The last line has no LF, and holds a good record all the same. */
  tailIsGood = false;
  #lines = new LineSplitter(0);
  #line = 0;
  #read = 0;
  #identity = '';
  #head: Buffer = Buffer.alloc(0);
  #isLinked = true;
  /** What the line without an LF gave; taken back when the file went on. */
  #tail = { nodes: 0, damaged: 0, damageCount: 0, isSet: false };

  /**
   * Reads on, at most `budget` bytes. A file that shrank, or became another one, is read from its beginning.
   * @returns whether the end was reached; only then are parents and counts right
   */
  advance(ports: Ports, fd: number, stat: Stats, budget = Infinity): boolean {
    if (!this.#isSame(ports, fd, stat)) this.#reset(stat);
    if (this.#head.length < headBytes) this.#head = readAt(ports, fd, 0, Math.min(headBytes, stat.size));
    if (this.#read < stat.size) this.#dropTail();
    const buffer = Buffer.allocUnsafe(chunkBytes);
    let left = budget;
    while (left > 0) {
      const count = ports.fs.readSync(fd, buffer, 0, Math.min(buffer.length, left), this.#read);
      if (count === 0) return this.#end();
      this.#read += count;
      left -= count;
      this.#lines.push(buffer.subarray(0, count), (line) => this.#take(line, true));
    }
    return false;
  }

  /** As if the file were not there. */
  clear(): void {
    Object.assign(this, { nodes: [], byId: new Map(), damaged: [], damageCount: 0, size: 0, tornAt: 0 });
    this.tailIsGood = false;
    this.#lines = new LineSplitter(0);
    this.#line = 0;
    this.#read = 0;
    this.#identity = '';
    this.#head = Buffer.alloc(0);
    this.#tail = { nodes: 0, damaged: 0, damageCount: 0, isSet: false };
  }

  get bytesRead(): number {
    return this.#read;
  }

  #isSame(ports: Ports, fd: number, stat: Stats): boolean {
    return (
      this.#identity === identityOf(stat) &&
      stat.size >= this.#read &&
      readAt(ports, fd, 0, this.#head.length).equals(this.#head)
    );
  }

  #reset(stat: Stats): void {
    this.clear();
    this.#identity = identityOf(stat);
  }

  #end(): true {
    this.size = this.#read;
    this.tornAt = this.#lines.offset;
    const rest = this.#tail.isSet ? undefined : this.#lines.rest();
    if (rest !== undefined) {
      const { length } = this.nodes;
      this.#tail = { nodes: length, damaged: this.damaged.length, damageCount: this.damageCount, isSet: true };
      this.#take(rest, false);
      this.tailIsGood = this.nodes.length > length;
    }
    // Cheap beside the reading, and a late parent may stand anywhere.
    if (!this.#isLinked) linkNodes(this.nodes, this.byId);
    this.#isLinked = true;
    return true;
  }

  /** The file went on: the line that had no LF is read again, whole. */
  #dropTail(): void {
    if (!this.#tail.isSet) return;
    for (const { id } of this.nodes.splice(this.#tail.nodes)) this.byId.delete(id);
    this.damaged.length = this.#tail.damaged;
    this.damageCount = this.#tail.damageCount;
    this.#tail.isSet = false;
    this.#isLinked = false;
    this.tailIsGood = false;
    this.#line--;
  }

  #take(line: Line, isComplete: boolean): void {
    this.#line++;
    if (line.tooLong) return this.#takeHead(line, isComplete);
    const { start, end } = trimmed(line);
    if (start >= end) return;
    const whole = readRecord(line.bytes.toString('utf8', start, end));
    if (typeof whole !== 'string') return this.#add(whole, line, { start, end });
    const found: ChainRecord[] = [];
    const places = pieces(line.bytes.subarray(0, end), (piece) => {
      // The whole line was looked at already.
      if (piece.start === start && piece.end === end) return false;
      const record = readRecord(line.bytes.toString('utf8', piece.start, piece.end));
      if (typeof record === 'string') return false;
      return found.push(record) > 0;
    });
    found.forEach((record, i) => this.#add(record, line, places[i]!));
    // A torn last line is what an interrupted write leaves; the next one removes it.
    if (isComplete && !isNoise(line.bytes, start, end, places))
      this.#damage(found.length > 0 ? `partly unreadable, ${whole}` : whole);
  }

  #takeHead(line: Line, isComplete: boolean): void {
    const head = recordHead(line.bytes.toString('utf8'));
    if (!isComplete) return;
    this.#damage(
      `too long to show (${line.length} bytes)${head === undefined ? ', and without an id at its beginning' : ''}`,
    );
    if (head === undefined) return;
    const rest = { messages: [], replaces: false, kind: 'pass', files: [], sidechain: false, dropped: 0 } as const;
    this.#add({ ...rest, ...head }, line, { start: 0, end: line.length });
  }

  #add(record: ChainRecord, line: Line, { start, end }: Piece): void {
    if (this.byId.has(record.id)) return this.#damage(`a second record of the id ${JSON.stringify(record.id)}`);
    if (record.dropped > 0) this.#damage(`${record.dropped} of its messages cannot be read`);
    this.byId.set(record.id, this.nodes.length);
    this.#isLinked = false;
    // Written out: an object of one shape takes a fraction of the room.
    this.nodes.push({
      id: record.id,
      parentId: record.parentId,
      ts: record.ts,
      iteration: record.iteration,
      delta: record.delta,
      replaces: record.replaces,
      kind: record.kind,
      source: record.source,
      files: record.files.length === 0 ? none : record.files,
      sidechain: record.sidechain,
      offset: line.offset + start,
      length: end - start,
      line: this.#line,
      own: record.messages.length,
      lastUser: record.messages.findLastIndex(({ role }) => role === 'user'),
      hasSummary: record.summary !== undefined,
      tooLong: line.tooLong,
      isDamaged: record.dropped > 0,
      parent: -1,
      orphan: false,
      incomplete: false,
      opensTurn: false,
      total: 0,
      fullBytes: 0,
      deltaBytes: 0,
    });
  }

  #damage(reason: string): void {
    this.damageCount++;
    if (this.damaged.length < maxDamage) this.damaged.push({ line: this.#line, reason });
  }
}

/** Without the BOM of a file, CR and blanks; bytes. */
function trimmed({ bytes, offset }: Line): Piece {
  let start = 0;
  let end = bytes.length;
  if (offset === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) start = 3;
  while (start < end && isBlank(bytes[start]!)) start++;
  while (end > start && isBlank(bytes[end - 1]!)) end--;
  return { start, end };
}

const isBlank = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/** Nothing is lost where objects are only glued, or have runs of NUL around them. */
function isNoise(bytes: Buffer, start: number, end: number, places: readonly Piece[]): boolean {
  let at = start;
  for (const piece of [...places, { start: end, end }]) {
    for (; at < piece.start; at++) if (bytes[at] !== 0 && !isBlank(bytes[at]!)) return false;
    at = piece.end;
  }
  return true;
}

const identityOf = ({ dev, ino }: Stats) => `${dev}:${ino}`;

/** Fewer bytes where the file ends before. */
export function readAt({ fs }: Ports, fd: number, offset: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const count = fs.readSync(fd, bytes, done, length - done, offset + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
