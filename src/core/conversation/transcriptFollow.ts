// Reading a transcript while its agent goes on writing it: only what is new, unless the file became another one.
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { errorCode } from '../errors';
import type { Ports } from '../ports';
import { isWindows } from '../state/platform';
import type { ConversationTree, Damage } from './model';
import type { Followed } from './transcript';
import { parseLine, type JsonRecord, type ParsedLine } from './transcriptJson';
import { maxLineBytes, readLines, type LongLine } from './transcriptLines';

/** Takes records in the order of the file. */
export interface TreeBuilder {
  add(record: JsonRecord, line: number): void;
  /** A line that is too long to hold; its ends may still tell its place. */
  addLong?(line: LongLine, number: number): void;
  tree(): ConversationTree;
}

/** One whose nodes are made of records with ids. */
export interface RecordTreeBuilder extends TreeBuilder {
  /** The ids of the records of each node, once the tree is built; in the order of the file. */
  recordsByNode(): ReadonlyMap<string, readonly string[]>;
}

interface Position {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  /** Bytes that were used. */
  readonly offset: number;
  /** Number of the next line. */
  readonly number: number;
  /** Records of the unfinished line at `offset` that were used. */
  readonly used: number;
  readonly marks: string;
}

interface FollowedLines extends Followed {
  readonly position: Position;
  readonly builder: TreeBuilder;
  readonly damaged: readonly Damage[];
  /** The builder went on to a later reading. */
  spent?: boolean;
}

const markBytes = 1024;
// A FIFO that somebody put there must not be waited for.
const openFlags = constants.O_RDONLY | (isWindows ? 0 : constants.O_NONBLOCK);

/** Opens what must be a plain file, also behind a link: agents' folders are often linked. @throws the system's error */
export function withTranscript<T>({ fs }: Ports, file: string, use: (fd: number, stat: Stats) => T): T {
  const fd = fs.openSync(file, openFlags);
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) throw new Error('not a plain file');
    return use(fd, stat);
  } finally {
    fs.closeSync(fd);
  }
}

/** Follows a file of one record a line. Never throws. */
export function followLines(ports: Ports, file: string, make: () => TreeBuilder, previous?: Followed): Followed {
  const known = previous as FollowedLines | undefined;
  try {
    return withTranscript(ports, file, (fd, stat) => {
      if (known !== undefined && isAsBefore(stat, known.position)) return known;
      return readOn(ports, fd, stat, isContinued(ports, fd, stat, known) ? known : undefined, make);
    });
  } catch (error) {
    return known ?? failed(error, make());
  }
}

function readOn(
  ports: Ports,
  fd: number,
  stat: Stats,
  known: FollowedLines | undefined,
  make: () => TreeBuilder,
): FollowedLines {
  if (known !== undefined) known.spent = true;
  const builder = known?.builder ?? make();
  const damaged = [...(known?.damaged ?? [])];
  let offset = known?.position.offset ?? 0;
  let number = known?.position.number ?? 1;
  let torn: Damage | undefined;
  let used = known?.position.used ?? 0;
  for (const line of readLines(ports, fd, { from: offset, to: stat.size, number })) {
    const { bytes, tooLong, ended } = line;
    const parsed = bytes === undefined ? tooLongLine(tooLong!) : parseLine(bytes);
    const failure = addAll(builder, parsed.records.slice(used), line.number) ?? parsed.damage;
    if (!ended && parsed.damage !== undefined) {
      // Still being written, or never finished: it is looked at again when there is more.
      torn = { line: line.number, reason: 'the last line is not finished' };
      used = parsed.records.length;
      break;
    }
    used = 0;
    if (tooLong !== undefined) addLong(builder, tooLong, line.number);
    if (failure !== undefined) damaged.push({ line: line.number, reason: failure });
    offset = line.offset + (bytes?.length ?? tooLong!.size) + (ended ? 1 : 0);
    number = ended ? line.number + 1 : line.number;
  }
  const position: Position = {
    dev: stat.dev,
    ino: stat.ino,
    size: stat.size,
    mtimeMs: stat.mtimeMs,
    offset,
    number,
    used,
    marks: marksOf(ports, fd, offset),
  };
  return { tree: treeOf(builder, torn === undefined ? damaged : [...damaged, torn]), position, builder, damaged };
}

/** @returns why one of them could not be used */
function addAll(builder: TreeBuilder, records: readonly JsonRecord[], line: number): string | undefined {
  let failure: string | undefined;
  for (const record of records) {
    try {
      builder.add(record, line);
    } catch (error) {
      failure ??= reasonOf(error);
    }
  }
  return failure;
}

const tooLongLine = ({ size }: LongLine): ParsedLine => ({
  records: [],
  damage: `too long to show (${Math.round(size / 2 ** 20)} MB; at most ${maxLineBytes / 2 ** 20} MB are read)`,
});

function addLong(builder: TreeBuilder, long: LongLine, line: number): void {
  try {
    builder.addLong?.(long, line);
  } catch {
    // It is told as damage anyway.
  }
}

export function treeOf(builder: TreeBuilder, damaged: readonly Damage[]): ConversationTree {
  try {
    const tree = builder.tree();
    return { ...tree, damaged: [...tree.damaged, ...damaged] };
  } catch (error) {
    return { nodes: [], damaged: [...damaged, { line: 0, reason: reasonOf(error) }] };
  }
}

const isAsBefore = (stat: Stats, { dev, ino, size, mtimeMs }: Position) =>
  stat.dev === dev && stat.ino === ino && stat.size === size && stat.mtimeMs === mtimeMs;

function isContinued(ports: Ports, fd: number, stat: Stats, known: FollowedLines | undefined): boolean {
  if (known === undefined || known.spent === true) return false;
  const { dev, ino, offset, marks } = known.position;
  // Windows may give no file number.
  if (stat.dev !== dev || (stat.ino !== ino && ino !== 0)) return false;
  return stat.size >= offset && marksOf(ports, fd, offset) === marks;
}

/** Of both ends of what was read: a file that was written anew in place differs in one of them. */
function marksOf({ fs }: Ports, fd: number, offset: number): string {
  const bytes = Buffer.alloc(2 * markBytes);
  const length = Math.min(markBytes, offset);
  fs.readSync(fd, bytes, 0, length, 0);
  fs.readSync(fd, bytes, markBytes, length, offset - length);
  return createHash('sha256').update(bytes).digest('hex');
}

const failed = (error: unknown, builder: TreeBuilder): FollowedLines => ({
  tree: { nodes: [], damaged: [{ line: 0, reason: reasonOf(error) }] },
  position: { dev: -1, ino: -1, size: -1, mtimeMs: -1, offset: 0, number: 1, used: 0, marks: '' },
  builder,
  damaged: [],
  spent: true,
});

export function reasonOf(error: unknown): string {
  if (errorCode(error) === 'ENOENT') return 'the file is gone';
  return (error instanceof Error ? error.message : String(error)).slice(0, 300);
}
