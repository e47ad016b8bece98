// Applies one file's part of an apply_patch text, as leniently as the tools do. Pure, on canonical bytes.

interface Chunk {
  /** The text after `@@`: the chunk is below a line that holds it. */
  readonly anchors: string[];
  readonly oldLines: string[];
  readonly newLines: string[];
  atEnd: boolean;
}

/**
 * @param pre canonical bytes before, undefined where there was no file
 * @returns canonical bytes after; undefined where a chunk has no certain place
 */
export function applyPatchLines(pre: Buffer | undefined, body: readonly string[]): Buffer | undefined {
  const chunks = parse(body);
  if (chunks === undefined) return undefined;
  if (pre === undefined) return added(chunks);
  const encode = (line: string) => Buffer.from(line).toString('latin1');
  const text = pre.toString('latin1');
  const lines = text.split('\n');
  // The piece after the last line feed is no line.
  if (lines.at(-1) === '') lines.pop();
  const out: string[] = [];
  let cursor = 0;
  for (const chunk of chunks) {
    let from = cursor;
    for (const anchor of chunk.anchors) {
      const at = find(lines, [encode(anchor)], from);
      if (at === undefined) return undefined;
      from = at + 1;
    }
    const oldLines = chunk.oldLines.map(encode);
    // Where a mere insertion goes differs between the tools.
    if (oldLines.length === 0) return undefined;
    const at = chunk.atEnd ? findAtEnd(lines, oldLines, from) : find(lines, oldLines, from);
    if (at === undefined) return undefined;
    out.push(...lines.slice(cursor, at), ...chunk.newLines.map(encode));
    cursor = at + oldLines.length;
  }
  out.push(...lines.slice(cursor));
  return Buffer.from(out.length === 0 ? '' : out.join('\n') + (text.endsWith('\n') ? '\n' : ''), 'latin1');
}

function added(chunks: readonly Chunk[]): Buffer | undefined {
  if (chunks.some((chunk) => chunk.oldLines.length > 0)) return undefined;
  return Buffer.from(chunks.flatMap((chunk) => chunk.newLines).join('\n'));
}

function parse(body: readonly string[]): Chunk[] | undefined {
  const chunks: Chunk[] = [];
  const open = () => {
    const chunk: Chunk = { anchors: [], oldLines: [], newLines: [], atEnd: false };
    chunks.push(chunk);
    return chunk;
  };
  let chunk: Chunk | undefined;
  for (const raw of body) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line.startsWith('@@')) {
      // Several `@@` lines in a row narrow one place.
      if (chunk === undefined || chunk.oldLines.length + chunk.newLines.length > 0) chunk = open();
      const anchor = line.slice(2).replace(/^ /, '');
      // A unified diff's line numbers say nothing that is certain.
      if (anchor.trim() !== '' && !/^-\d+(,\d+)? \+\d+(,\d+)? @@/.test(anchor)) chunk.anchors.push(anchor);
      continue;
    }
    chunk ??= open();
    if (line.startsWith('*** End of File')) chunk.atEnd = true;
    else if (line.startsWith('+')) chunk.newLines.push(line.slice(1));
    else if (line.startsWith('-')) chunk.oldLines.push(line.slice(1));
    else if (line.startsWith(' ') || line === '') {
      // A blank context line is often sent without its leading space.
      chunk.oldLines.push(line.slice(1));
      chunk.newLines.push(line.slice(1));
    } else return undefined;
  }
  // Blank lines between or after chunks are no context.
  for (const { oldLines, newLines } of chunks) {
    while (oldLines.at(-1) === '' && newLines.at(-1) === '' && oldLines.length > 1) {
      oldLines.pop();
      newLines.pop();
    }
  }
  return chunks.filter((each) => each.oldLines.length + each.newLines.length > 0);
}

/** The first place at or after `from`: as it stands, else without trailing blanks, else without any at the ends. */
function find(lines: readonly string[], wanted: readonly string[], from: number): number | undefined {
  for (const same of looks) {
    const pattern = wanted.map(same);
    for (let at = from; at + pattern.length <= lines.length; at++) {
      if (pattern.every((line, i) => same(lines[at + i]!) === line)) return at;
    }
  }
  return undefined;
}

function findAtEnd(lines: readonly string[], wanted: readonly string[], from: number): number | undefined {
  return find(lines, wanted, Math.max(from, lines.length - wanted.length)) ?? find(lines, wanted, from);
}

const looks: readonly ((line: string) => string)[] = [(line) => line, (line) => line.trimEnd(), (line) => line.trim()];
