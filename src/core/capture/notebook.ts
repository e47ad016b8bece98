// Notebooks: editors write them anew on each save (layout, cell ids, the language), so bytes do not tell who wrote.
import type { NotebookEdit } from './request';

interface Cell {
  readonly kind: unknown;
  readonly source: string;
  /** All but the source and the id: outputs, metadata, the execution count, as one text to compare. */
  readonly rest: string;
}

interface Notebook {
  readonly cells: readonly Cell[];
  /** The notebook's own metadata, as one text to compare. */
  readonly metadata: string;
}

export const isNotebook = (path: string): boolean => path.toLowerCase().endsWith('.ipynb');

/** True where both are notebooks and differ in nothing that a person writes or runs. */
export function sameNotebook(a: Buffer, b: Buffer): boolean {
  const [one, other] = [parse(a), parse(b)];
  if (one === undefined || other === undefined || one.metadata !== other.metadata) return false;
  return one.cells.length === other.cells.length && one.cells.every((cell, i) => sameCell(cell, other.cells[i]!));
}

/** True where `found` is `before` with this one edit, and nothing else that a person writes or runs. */
export function isEdited(before: Buffer | undefined, found: Buffer, edit: NotebookEdit): boolean {
  const after = parse(found);
  const old = before === undefined || before.length === 0 ? { cells: [], metadata: '{}' } : parse(before);
  if (after === undefined || old === undefined) return false;
  if (before !== undefined && after.metadata !== old.metadata) return false;
  const [from, to] = [old.cells, after.cells];
  let start = 0;
  while (start < from.length && start < to.length && sameCell(from[start]!, to[start]!)) start++;
  let end = 0;
  while (end < Math.min(from.length, to.length) - start && sameCell(from.at(-1 - end)!, to.at(-1 - end)!)) end++;
  const [gone, come] = [from.length - start - end, to.length - start - end];
  // A cell whose new text is the old one leaves no difference at all.
  if (gone === 0 && come === 0) return edit.mode === 'edit' && to.some((cell) => isSource(cell, edit.source));
  switch (edit.mode) {
    case 'insert':
      return gone === 0 && come === 1 && isSource(to[start]!, edit.source);
    case 'delete':
      return gone === 1 && come === 0;
    case 'edit':
      return gone === 1 && come === 1 && isSource(to[start]!, edit.source);
  }
}

const isSource = (cell: Cell, source: string) => trimmed(cell.source) === trimmed(source);
const trimmed = (text: string) => text.replace(/\r\n/g, '\n').replace(/\n+$/, '');
const sameCell = (a: Cell, b: Cell) =>
  a.kind === b.kind && trimmed(a.source) === trimmed(b.source) && a.rest === b.rest;

/** Undefined where it is no notebook that can be read. */
function parse(bytes: Buffer): Notebook | undefined {
  try {
    const found: unknown = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
    if (!isRecord(found) || !Array.isArray(found.cells)) return undefined;
    return { cells: found.cells.map(cellOf), metadata: ordered(ownMetadata(found.metadata)) };
  } catch {
    return undefined;
  }
}

/** The language is added on the first save; a person chooses it through the kernel, which stays in. */
function ownMetadata(metadata: unknown): unknown {
  if (!isRecord(metadata)) return {};
  const { language_info: _language, ...own } = metadata;
  return own;
}

function cellOf(cell: unknown): Cell {
  if (!isRecord(cell)) throw new SyntaxError('a cell that is no object');
  const { cell_type: kind, source, id: _id, ...rest } = cell;
  const text = Array.isArray(source) ? source.join('') : source;
  if (typeof text !== 'string') throw new SyntaxError('a cell without a source');
  return { kind, source: text, rest: ordered(withoutDefaults(rest)) };
}

/** Saves add these where they are missing. */
function withoutDefaults({ execution_count, outputs, metadata, ...rest }: Record<string, unknown>) {
  return {
    ...rest,
    ...(execution_count !== null && { execution_count }),
    ...(!(Array.isArray(outputs) && outputs.length === 0) && { outputs }),
    ...(!(isRecord(metadata) && Object.keys(metadata).length === 0) && { metadata }),
  };
}

/** As JSON with the keys in order. */
function ordered(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
