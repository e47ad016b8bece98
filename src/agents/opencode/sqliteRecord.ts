// The rows of an SQLite table: numbers of variable length, values by their type, names of the columns.

/** By the column's name. Values of unknown kinds are left out. */
export type SqliteRow = { readonly [column: string]: string | number | Buffer | null | undefined };

/** The number at a place, and the place behind it. @throws RangeError beyond the end */
export function varint(bytes: Buffer, at: number): [value: number, next: number] {
  let value = 0;
  for (let i = 0; i < 9; i++) {
    const byte = bytes.readUInt8(at + i);
    if (i === 8) return [value * 256 + byte, at + 9];
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + i + 1];
  }
  return [value, at + 9];
}

/** What stands in the bytes; columns that lie behind their end are missing. Never throws. */
export function decodeRow(bytes: Buffer, columns: readonly string[]): SqliteRow {
  const row: Record<string, string | number | Buffer | null> = Object.create(null) as Record<string, null>;
  try {
    const [headerSize, start] = varint(bytes, 0);
    let value = headerSize;
    let at = start;
    for (const column of columns) {
      // A column that was added later is not in older rows.
      if (at >= headerSize) break;
      const [type, next] = varint(bytes, at);
      at = next;
      const size = sizeOf(type);
      if (value + size > bytes.length) break;
      row[column] = valueOf(bytes, value, type, size);
      value += size;
    }
  } catch {
    // Cut off: what is known so far is all there is.
  }
  return row;
}

const sizes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];
const sizeOf = (type: number) => (type < 10 ? sizes[type]! : type < 12 ? 0 : Math.floor((type - 12) / 2));

function valueOf(bytes: Buffer, at: number, type: number, size: number): string | number | Buffer | null {
  if (type === 0) return null;
  if (type === 6) return Number(bytes.readBigInt64BE(at));
  if (type <= 5) return bytes.readIntBE(at, size);
  if (type === 7) return bytes.readDoubleBE(at);
  if (type < 12) return type - 8;
  const value = bytes.subarray(at, at + size);
  return type % 2 === 1 ? value.toString('utf8') : value;
}

const constraint = /^(CONSTRAINT|PRIMARY|UNIQUE|FOREIGN|CHECK)\b/i;

/** The names of a table's columns, from the statement that made it. */
export function columnsIn(sql: string): string[] {
  const columns: string[] = [];
  let depth = 0;
  let quote = '';
  let part = '';
  for (const char of sql.slice(0, 100_000)) {
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === '`' || char === "'") quote = char;
    else if (char === '[') quote = ']';
    else if (char === '(' && ++depth === 1) {
      part = '';
      continue;
    } else if (char === ')' && --depth === 0) break;
    else if (char === ',' && depth === 1) {
      columns.push(part);
      part = '';
      continue;
    }
    part += char;
  }
  columns.push(part);
  return columns
    .map((text) => text.trim())
    .filter((text) => text !== '' && !constraint.test(text))
    .map((text) =>
      /^(?:"([^"]*)"|`([^`]*)`|\[([^\]]*)\]|(\S+))/
        .exec(text)!
        .slice(1)
        .find((name) => name !== undefined)!,
    );
}
