// What a large conversation costs: a chain of 1 GB opened against the same file read line by line, in turns; and the
// disk that 500 passes take. Usage: node out/test/bench/chain.js [MB] [rounds]. Prints JSON.
import * as fs from 'node:fs';
import { createInterface } from 'node:readline';
import { append } from '../../src/core/conversation/append';
import { Chain, openChain } from '../../src/core/conversation/chain';
import { parseConversationName } from '../../src/core/conversation/names';
import { assistant, chainPlace, deltaLine } from '../support/chains';

const megabytes = Number(process.argv[2] ?? 1000);
const rounds = Number(process.argv[3] ?? 3);
const name = parseConversationName('large');
const place = chainPlace();
const file = place.path('large.jsonl');

/** Code, as tool calls and results hold it: quotes and line ends are escaped. */
const code = (i: number) => `  const value${i} = compute("a", { "b": ${i} });\n`.repeat(90).slice(0, 3900);

function writeLarge(): number {
  place.write('large.jsonl', '');
  const fd = fs.openSync(file, 'a');
  let size = 0;
  for (let i = 0; size < megabytes * 1e6; i++) {
    const call = {
      role: 'assistant',
      content: `pass ${i}`,
      tool_calls: [{ id: `t${i}`, name: 'write', arguments: { content: code(i) } }],
    };
    const line = deltaLine(`n${i}`, i === 0 ? null : `n${i - 1}`, [
      call,
      { role: 'tool', content: code(i), tool_call_id: `t${i}` },
    ]);
    size += fs.writeSync(fd, line);
  }
  fs.closeSync(fd);
  return size;
}

async function readLines(): Promise<number> {
  const begun = performance.now();
  let length = 0;
  for await (const line of createInterface({ input: fs.createReadStream(file), crlfDelay: Infinity }))
    length += line.length;
  if (length === 0) throw new Error('nothing was read');
  return performance.now() - begun;
}

/** The fastest plain way: pieces of 1 MiB, split at LF, each line a string. */
function readLinesInPieces(): number {
  const begun = performance.now();
  const fd = fs.openSync(file, 'r');
  const buffer = Buffer.allocUnsafe(2 ** 20);
  let rest: Buffer = Buffer.alloc(0);
  let length = 0;
  for (let count; (count = fs.readSync(fd, buffer)) > 0;) {
    const bytes = Buffer.concat([rest, buffer.subarray(0, count)]);
    let from = 0;
    for (let end; (end = bytes.indexOf(10, from)) >= 0; from = end + 1)
      length += bytes.toString('utf8', from, end).length;
    rest = Buffer.from(bytes.subarray(from));
  }
  fs.closeSync(fd);
  if (length === 0) throw new Error('nothing was read');
  return performance.now() - begun;
}

function open(): { time: number; nodes: number; first: number } {
  const begun = performance.now();
  const chain = openChain(place.ports, place.stores, name);
  const time = performance.now() - begun;
  const slice = performance.now();
  new Chain(place.ports, chain.store, name).refresh(2 ** 20);
  return { time, nodes: chain.nodes.length, first: performance.now() - slice };
}

function diskRatio(): number {
  const small = openChain(place.ports, place.stores, parseConversationName('passes'));
  const list: { role: 'assistant'; content: string }[] = [];
  let parent: string | null = null;
  let log = 0;
  let full = 0;
  for (let i = 0; i < 500; i++) {
    list.push(assistant(`${i} `.padEnd(8192, 'text ')));
    log += Buffer.byteLength(JSON.stringify(list[i])) + 1;
    full += log;
    [parent = null] = append(place.ports, place.stores, small, [{ parentId: parent, messages: [...list] }]);
  }
  return full / fs.statSync(place.path('passes.jsonl')).size;
}

async function main(): Promise<void> {
  const size = writeLarge();
  const times = { readline: [] as number[], pieces: [] as number[], open: [] as number[] };
  let nodes = 0;
  let first = 0;
  let most = 0;
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  for (let i = 0; i < rounds; i++) {
    const opened = open();
    most = Math.max(most, process.memoryUsage().rss);
    ({ nodes, first } = opened);
    times.open.push(opened.time);
    times.pieces.push(readLinesInPieces());
    times.readline.push(await readLines());
  }
  clearInterval(watch);
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
  const round = (value: number) => Math.round(value * 100) / 100;
  const speed = (values: number[]) => round(size / 1e6 / (median(values) / 1000));
  console.log(
    JSON.stringify(
      {
        megabytes: round(size / 1e6),
        nodes,
        megabytesPerSecond: { readline: speed(times.readline), pieces: speed(times.pieces), open: speed(times.open) },
        openAgainstReadline: round(median(times.readline) / median(times.open)),
        openAgainstPieces: round(median(times.pieces) / median(times.open)),
        firstScreenMs: round(first),
        // Of the whole process, the reading it is compared with included.
        maxRssMegabytes: round(process.resourceUsage().maxRSS / 1024),
        diskRatio500Passes: round(diskRatio()),
        budget: { speed: 0.5, rssMegabytes: 300, diskRatio: 50 },
      },
      null,
      2,
    ),
  );
  fs.rmSync(place.root, { recursive: true, force: true });
}

void main();
