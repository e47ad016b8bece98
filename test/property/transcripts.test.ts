// The fixtures, cut up, mixed and spoiled at random: a reader never throws, never hangs, gives a tree that holds
// together, and reads the same in pieces as at once. TRANSCRIPT_CASES sets how many (100000 for a long run),
// TRANSCRIPT_SEED which ones.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import type { ConversationTree } from '../../src/core/conversation/model';
import { temporaryRoot } from '../support/ports';
import { fixtureDir, readTranscript } from '../support/transcriptKit';

const cases = Number(process.env['TRANSCRIPT_CASES'] ?? 1500);
const firstSeed = Number(process.env['TRANSCRIPT_SEED'] ?? 1);
/** ms for one case, on a machine that does other things as well. */
const longest = 5000;

const seeds: [agent: string, file: string][] = [
  ['claude-code', 'garden.jsonl'],
  ['codex', 'sessions/2026/03/01/rollout-2026-03-01T09-00-00-0aaa.jsonl'],
  ['codex', 'sessions/2026/03/02/rollout-2026-03-02T09-00-00-0bbb.jsonl'],
  ['codex', 'legacy.jsonl'],
  ['gemini', 'session-2026-03-01T09-00-aaaa.jsonl'],
  ['gemini', 'session-old.json'],
  ['qwen', 's-q.jsonl'],
  ['pi', 'v3.jsonl'],
  ['pi', 'v1.jsonl'],
  ['opencode', 'export.json'],
  ['opencode', 'rows.db'],
  ['cline', 'sessions/9_x/9_x.messages.json'],
  ['cline', 'task/api_conversation_history.json'],
  ['copilot-cli', 'e1/events.jsonl'],
  ['vscode', 'chatSessions/log.jsonl'],
  ['vscode', 'chatSessions/doc.json'],
  ['vscode', 'transcripts/t1.jsonl'],
  ['cursor', 'c1.jsonl'],
  ['windsurf', 'w1.jsonl'],
];

type Random = (below: number) => number;

/** Mulberry32: the same cases for the same seed. */
function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const values = [
  'null',
  'true',
  '0',
  '-1',
  '1e308',
  '""',
  '"a1"',
  '[]',
  '{}',
  '[[[[1]]]]',
  '"\\ud800"',
  '"\u2028"',
  '{"id":"a1"}',
  '["x"]',
];
const pieces = [
  '\n',
  '\r\n',
  '\0\0\0',
  '\ufeff',
  '{',
  '}',
  '"',
  '\\',
  ',',
  '[',
  ']',
  '}{',
  '\u2028',
  'null',
  '{"$rewindTo":"p1"}',
  '{"$set":{"messages":[]}}',
];

/** One change to the bytes. */
function spoil(bytes: Buffer, random: Random, others: readonly Buffer[]): Buffer {
  const at = random(bytes.length + 1);
  const length = random(random(4) === 0 ? 2000 : 20);
  const put = (piece: Buffer | string, cut = 0) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(piece), bytes.subarray(at + cut)]);
  switch (random(12)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return put('', length);
    case 2:
      return put(bytes.subarray(random(bytes.length + 1)).subarray(0, length * 10));
    case 3:
      return put(Buffer.from([random(256)]), 1);
    case 4:
      return put(pieces[random(pieces.length)]!);
    case 5:
      return put(Buffer.alloc(length * 5), length);
    case 6: {
      const other = others[random(others.length)]!;
      return put(other.subarray(random(other.length)).subarray(0, 1000));
    }
    case 7:
    case 8:
      return swapValue(bytes, random);
    case 9:
      return mixLines(bytes, random);
    default:
      return swapIds(bytes, random);
  }
}

/** Another value, often of another type, for some field. */
function swapValue(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString('latin1');
  const fields = [...text.matchAll(/:("(?:[^"\\]|\\.)*"|\d+|true|false|null|\[|\{)/g)];
  const field = fields[random(Math.max(1, fields.length))];
  if (field === undefined) return bytes;
  const value = Buffer.from(values[random(values.length)]!).toString('latin1');
  return Buffer.from(`${text.slice(0, field.index + 1)}${value}${text.slice(field.index + field[0].length)}`, 'latin1');
}

/** One id for another: rings, duplicates, and ids of nobody. */
function swapIds(bytes: Buffer, random: Random): Buffer {
  const text = bytes.toString('latin1');
  const ids = [
    ...text.matchAll(
      /"(?:uuid|parentUuid|id|parentId|call_id|toolCallId|tool_use_id|leafUuid|logicalParentUuid|firstKeptEntryId|\$rewindTo)":("[^"]*"|null)/g,
    ),
  ];
  const one = ids[random(Math.max(1, ids.length))];
  const other = ids[random(Math.max(1, ids.length))];
  if (one === undefined || other === undefined) return bytes;
  const start = one.index + one[0].length - one[1]!.length;
  return Buffer.from(`${text.slice(0, start)}${other[1]!}${text.slice(start + one[1]!.length)}`, 'latin1');
}

function mixLines(bytes: Buffer, random: Random): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  const from = random(lines.length);
  const [line] = lines.splice(from, random(2));
  lines.splice(random(lines.length + 1), 0, line ?? lines[from] ?? '');
  return Buffer.from(lines.join(random(20) === 0 ? '' : '\n'), 'latin1');
}

/** What holds for every tree. */
function check({ nodes, leaf, damaged }: ConversationTree): void {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  assert.equal(byId.size, nodes.length, 'ids are unique');
  if (leaf !== undefined) assert.ok(byId.has(leaf), 'the leaf is there');
  const settled = new Set<string>();
  for (const node of nodes) {
    const way = new Set<string>();
    for (let id: string | null = node.id; id !== null && !settled.has(id); id = byId.get(id)!.parentId) {
      assert.ok(byId.has(id), 'parents are there');
      assert.ok(!way.has(id), 'no rings');
      way.add(id);
    }
    for (const id of way) settled.add(id);
    assert.ok(node.id !== '' && Array.isArray(node.messages));
    for (const { role, content } of node.messages) {
      assert.ok(['user', 'assistant', 'tool'].includes(role));
      assert.equal(typeof content, 'string');
    }
    if (node.ts !== undefined) assert.equal(new Date(node.ts).toISOString(), node.ts);
  }
  for (const { line, reason } of damaged) assert.ok(Number.isSafeInteger(line) && reason !== '');
  JSON.stringify(nodes);
}

describe('transcripts that are spoiled at random', function () {
  this.timeout(Math.max(120_000, cases * 100));

  it(`are read all the same (${cases} cases)`, () => {
    const dir = temporaryRoot('fuzz');
    const originals = seeds.map(([, file], i) => fs.readFileSync(path.join(fixtureDir, seeds[i]![0], file)));
    for (let seed = firstSeed; seed < firstSeed + cases; seed++) {
      const random = randomFrom(seed);
      const which = random(seeds.length);
      const [agent, name] = seeds[which]!;
      let bytes: Buffer = originals[which]!;
      for (let changes = 1 + random(8); changes > 0; changes--) bytes = spoil(bytes, random, originals);
      const folder = path.join(dir, name.includes('transcripts/') ? 'transcripts' : 'plain');
      fs.mkdirSync(folder, { recursive: true });
      const file = path.join(folder, `${seed}-${path.basename(name)}`);
      const start = Date.now();
      try {
        fs.writeFileSync(file, bytes);
        const whole = readTranscript(agent, file, 'ses_3').tree;
        check(whole);
        if (seed % 7 === 0 && file.endsWith('.jsonl')) {
          const cut = random(bytes.length + 1);
          fs.writeFileSync(`${file}.pieces.jsonl`, bytes.subarray(0, cut));
          const first = readTranscript(agent, `${file}.pieces.jsonl`, 'ses_3');
          check(first.tree);
          fs.appendFileSync(`${file}.pieces.jsonl`, bytes.subarray(cut));
          check(readTranscript(agent, `${file}.pieces.jsonl`, 'ses_3', first).tree);
        }
        assert.ok(Date.now() - start < longest, 'it took too long');
      } catch (error) {
        throw new Error(`seed ${seed} (${agent} ${name})`, { cause: error });
      } finally {
        fs.rmSync(file, { force: true });
        fs.rmSync(`${file}.pieces.jsonl`, { force: true });
      }
    }
  });

  it('lose no good line: what stands whole in its own line is there whatever stands in the others', () => {
    const dir = temporaryRoot('fuzz');
    const record = (n: number) =>
      JSON.stringify({
        type: 'user',
        uuid: `good-${n}`,
        parentUuid: n === 0 ? null : `good-${n - 1}`,
        message: { role: 'user', content: `text ${n}` },
      });
    for (let seed = firstSeed; seed < firstSeed + Math.ceil(cases / 10); seed++) {
      const random = randomFrom(seed * 31);
      const noise = () =>
        spoil(Buffer.from(record(1000 + random(50))), random, [Buffer.from(pieces.join(''))])
          .toString('latin1')
          .replace(/\n/g, ' ')
          .replaceAll('good-', 'bad-');
      const lines = Array.from({ length: 20 }, (_, n) => (random(2) === 0 ? [noise()] : []).concat(record(n))).flat();
      const file = path.join(dir, `${seed}.jsonl`);
      fs.writeFileSync(file, `${lines.join('\n')}\n`, 'latin1');
      const ids = new Set(readTranscript('claude-code', file).tree.nodes.map(({ id }) => id));
      for (let n = 0; n < 20; n++) assert.ok(ids.has(`good-${n}`), `seed ${seed}: good-${n}`);
      fs.rmSync(file);
    }
  });
});
