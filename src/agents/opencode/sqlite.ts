// Reads tables of an SQLite database file, with what its write-ahead log adds. Only that: no queries, no writing, no
// lock. Node has no SQLite of its own before version 22, and a native module for one agent's history is too much.
// The format is that of https://www.sqlite.org/fileformat2.html.
import type { Ports } from '../../core/ports';
import { withTranscript } from '../../core/conversation/transcriptFollow';
import { columnsIn, decodeRow, varint, type SqliteRow } from './sqliteRecord';

export type { SqliteRow } from './sqliteRecord';

export interface SqliteDatabase {
  /**
   * The rows of a table in the order of their numbers; none where there is no such table.
   * @param wanted is asked before a row's long values are read: what is not read yet is missing in the row
   */
  rows(table: string, wanted?: (row: SqliteRow) => boolean): Generator<SqliteRow>;
}

/** Bytes; a larger value is no message. */
const maxPayload = 64 * 2 ** 20;
const maxDepth = 24;
const maxPages = 4_000_000;

/** Opens, calls and closes. @throws Error for what is no database, or a damaged one */
export function openSqlite<T>(ports: Ports, file: string, use: (database: SqliteDatabase) => T): T {
  return withTranscript(ports, file, (fd, { size }) => {
    const header = Buffer.alloc(100);
    ports.fs.readSync(fd, header, 0, 100, 0);
    if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw new Error('not an SQLite database');
    const told = header.readUInt16BE(16);
    const pageSize = told === 1 ? 65_536 : told;
    if (pageSize < 512 || (pageSize & (pageSize - 1)) !== 0) throw new Error('a damaged SQLite database');
    if (![0, 1].includes(header.readUInt32BE(56))) throw new Error('an SQLite database that is not in UTF-8');
    return withLog(ports, `${file}-wal`, pageSize, (logFd, frames) => {
      const page = (number: number): Buffer => {
        const bytes = Buffer.alloc(pageSize);
        const frame = frames.get(number);
        if (number < 1 || number > maxPages) throw new Error('a damaged SQLite database');
        if (frame === undefined && number * pageSize > size) throw new Error('a damaged SQLite database');
        ports.fs.readSync(frame === undefined ? fd : logFd!, bytes, 0, pageSize, frame ?? (number - 1) * pageSize);
        return bytes;
      };
      return use(new Tables(page, pageSize - header[20]!));
    });
  });
}

/** Where the newest copy of each page is in the log; only what was committed counts. */
function withLog<T>(
  ports: Ports,
  file: string,
  pageSize: number,
  use: (fd: number | undefined, frames: ReadonlyMap<number, number>) => T,
): T {
  if (ports.fs.statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return use(undefined, new Map());
  return withTranscript(ports, file, (fd, { size }) => {
    const frames = new Map<number, number>();
    const header = Buffer.alloc(32);
    ports.fs.readSync(fd, header, 0, 32, 0);
    if (size < 32 || header.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1 || header.readUInt32BE(8) !== pageSize)
      return use(fd, frames);
    let open: [number, number][] = [];
    const frame = Buffer.alloc(24);
    for (let at = 32; at + 24 + pageSize <= size; at += 24 + pageSize) {
      ports.fs.readSync(fd, frame, 0, 24, at);
      // What is left of an earlier use of the file has other salts.
      if (frame.compare(header, 16, 24, 8, 16) !== 0) break;
      open.push([frame.readUInt32BE(0), at + 24]);
      if (frame.readUInt32BE(4) === 0) continue;
      for (const [number, offset] of open) frames.set(number, offset);
      open = [];
    }
    return use(fd, frames);
  });
}

interface Cell {
  readonly local: Buffer;
  /** Bytes of the whole. */
  readonly size: number;
  /** The page that goes on, 0 for none. */
  readonly next: number;
}

class Tables implements SqliteDatabase {
  constructor(
    private readonly page: (number: number) => Buffer,
    private readonly usable: number,
  ) {}

  *rows(table: string, wanted: (row: SqliteRow) => boolean = () => true): Generator<SqliteRow> {
    for (const schema of this.decoded(1, ['type', 'name', 'tbl_name', 'rootpage', 'sql'], () => true)) {
      if (schema.type !== 'table' || schema.name !== table || typeof schema.rootpage !== 'number') continue;
      yield* this.decoded(schema.rootpage, columnsIn(String(schema.sql)), wanted);
      return;
    }
  }

  private *decoded(
    root: number,
    columns: readonly string[],
    wanted: (row: SqliteRow) => boolean,
  ): Generator<SqliteRow> {
    for (const cell of this.cells(root, new Set(), 0)) {
      if (cell.next !== 0 && !wanted(decodeRow(cell.local, columns))) continue;
      const row = decodeRow(cell.next === 0 ? cell.local : this.whole(cell), columns);
      if (wanted(row)) yield row;
    }
  }

  private *cells(number: number, seen: Set<number>, depth: number): Generator<Cell> {
    if (seen.has(number) || depth > maxDepth) throw new Error('a damaged SQLite database');
    seen.add(number);
    const page = this.page(number);
    const start = number === 1 ? 100 : 0;
    const type = page[start];
    if (type !== 0x0d && type !== 0x05) throw new Error('a table of a kind that is not known');
    const count = page.readUInt16BE(start + 3);
    const pointers = start + (type === 0x05 ? 12 : 8);
    for (let i = 0; i < count && pointers + 2 * i + 2 <= page.length; i++) {
      const at = page.readUInt16BE(pointers + 2 * i);
      if (at + 4 > page.length) throw new Error('a damaged SQLite database');
      if (type === 0x05) yield* this.cells(page.readUInt32BE(at), seen, depth + 1);
      else yield this.leafCell(page, at);
    }
    if (type === 0x05) yield* this.cells(page.readUInt32BE(start + 8), seen, depth + 1);
  }

  private leafCell(page: Buffer, at: number): Cell {
    const [size, afterSize] = varint(page, at);
    const [, start] = varint(page, afterSize);
    if (size > maxPayload) throw new Error('a value that is too large');
    const most = this.usable - 35;
    if (size <= most) return { local: page.subarray(start, start + size), size, next: 0 };
    const least = Math.floor(((this.usable - 12) * 32) / 255) - 23;
    const fitting = least + ((size - least) % (this.usable - 4));
    const length = fitting <= most ? fitting : least;
    if (start + length + 4 > page.length) throw new Error('a damaged SQLite database');
    return { local: page.subarray(start, start + length), size, next: page.readUInt32BE(start + length) };
  }

  private whole({ local, size, next }: Cell): Buffer {
    const pieces = [local];
    let missing = size - local.length;
    for (let number = next; missing > 0 && number !== 0;) {
      const page = this.page(number);
      const piece = page.subarray(4, Math.min(this.usable, 4 + missing));
      pieces.push(piece);
      missing -= piece.length;
      number = page.readUInt32BE(0);
    }
    return Buffer.concat(pieces);
  }
}
