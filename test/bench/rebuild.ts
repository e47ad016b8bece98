// A conversation of 100,000 messages: rebuilding its context against parsing its file, in one run.
// Usage: node out/test/bench/rebuild.js [messages] [rounds]. Prints JSON; times in ms, medians.
import { rebuild } from '../../src/core/context/rebuild';
import type { ConversationNode } from '../../src/core/conversation/model';

const count = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 7);
/** Rebuilding takes at most so many times what parsing takes. */
const budget = 2;

const code = 'export const total = items.reduce((sum, { price, count }) => sum + price * count, 0);\n'.repeat(6);

/** Four messages a node: a prompt, an answer with a call, its result, and the last word. */
function lines(): string[] {
  return Array.from({ length: count / 4 }, (_, at) =>
    JSON.stringify({
      id: `node-${at}`,
      parentId: at === 0 ? null : `node-${at - 1}`,
      kind: 'pass',
      files: [],
      usage: { input: 1000 + at, output: 200 },
      messages: [
        {
          role: 'user',
          content: `Please change part ${at}. It must keep its signature. ${'And some more words. '.repeat(10)}`,
        },
        {
          role: 'assistant',
          content: `I will use a reduction for part ${at}.`,
          tool_calls: [
            {
              id: `call-${at}`,
              name: at % 2 === 0 ? 'Bash' : 'Write',
              arguments: { command: `npm test ${at}`, file_path: `/w/src/${at % 500}.ts`, content: code },
            },
          ],
        },
        { role: 'tool', content: `${code}\nexit code ${at % 7 === 0 ? 1 : 0}`, tool_call_id: `call-${at}` },
        { role: 'assistant', content: `Part ${at} is done. ${'It was not hard. '.repeat(8)}` },
      ],
    }),
  );
}

const median = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1]!;

function timed<T>(work: () => T): { time: number; value: T } {
  const begun = process.hrtime.bigint();
  const value = work();
  return { time: Number(process.hrtime.bigint() - begun) / 1e6, value };
}

const text = lines();
const parseTimes: number[] = [];
const rebuildTimes: number[] = [];
let kept = 0;
for (let round = 0; round < rounds; round++) {
  const parsed = timed(() => text.map((line) => JSON.parse(line) as ConversationNode));
  const rebuilt = timed(() => rebuild(parsed.value));
  parseTimes.push(parsed.time);
  rebuildTimes.push(rebuilt.time);
  kept = rebuilt.value.keptCount;
}
const [parse, build] = [median(parseTimes), median(rebuildTimes)];
const ratio = build / parse;
process.stdout.write(
  `${JSON.stringify({ messages: count, kept, parse, rebuild: build, ratio, budget, ok: ratio <= budget })}\n`,
);
if (ratio > budget) process.exitCode = 1;
