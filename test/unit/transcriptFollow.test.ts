// Reading on while an agent writes: only what is new, and never what is no longer true.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { transcriptReaders } from '../../src/agents/transcripts';
import { a, b, c, line, lines, say } from '../support/claudeLines';
import { temporaryRoot, testPorts } from '../support/ports';
import { fixtureDir, readTranscript } from '../support/transcriptKit';

describe('following a transcript', () => {
  const follow = () => {
    const file = path.join(temporaryRoot('follow'), 's.jsonl');
    fs.writeFileSync(file, lines(a));
    const read = (previous?: ReturnType<typeof readTranscript>) => readTranscript('claude-code', file, 's', previous);
    return { file, read };
  };
  const ids = ({ tree }: ReturnType<typeof readTranscript>) => tree.nodes.map(({ id }) => id).join(' ');

  it('takes only what is new, and gives the same back without news', () => {
    const { file, read } = follow();
    const first = read();
    assert.equal(read(first), first);
    fs.appendFileSync(file, lines(b));
    const second = read(first);
    assert.deepEqual([ids(first), ids(second)], ['a', 'a b']);
    const reads: number[] = [];
    const ports = testPorts({
      fs: {
        ...fs,
        readSync: ((...args: Parameters<typeof fs.readSync>) => {
          reads.push((args as unknown as number[])[4]!);
          return fs.readSync(...args);
        }) as typeof fs.readSync,
      },
    });
    fs.appendFileSync(file, lines(c));
    const reader = transcriptReaders.find(({ agent }) => agent === 'claude-code')!;
    assert.equal(ids(reader.read(ports, { file, session: 's' }, second)), 'a b c');
    // Both ends are compared; only the new part is read.
    assert.ok(reads.includes(Buffer.byteLength(lines(a, b))));
  });

  it('waits for the end of a line, and uses it once', () => {
    const { file, read } = follow();
    const text = lines(b);
    fs.appendFileSync(file, text.slice(0, 20));
    const torn = read();
    assert.deepEqual([ids(torn), torn.tree.damaged.length], ['a', 1]);
    fs.appendFileSync(file, text.slice(20, -1));
    const whole = read(torn);
    assert.deepEqual([ids(whole), whole.tree.damaged], ['a b', []]);
    fs.appendFileSync(file, `\n${lines(c)}`);
    assert.deepEqual([ids(read(whole)), read().tree.nodes.length], ['a b c', 3]);
  });

  it('uses a whole record before a torn one once', () => {
    const file = path.join(temporaryRoot('follow'), 'x.jsonl');
    const message = (content: string) => line({ role: 'user', message: { content } });
    fs.writeFileSync(file, message('1') + message('2').slice(0, 12));
    const first = readTranscript('cursor', file);
    assert.equal(first.tree.nodes.length, 1);
    fs.appendFileSync(file, message('2').slice(12) + '\n');
    const second = readTranscript('cursor', file, undefined, first);
    assert.deepEqual(
      second.tree.nodes.map(({ messages }) => messages[0]!.content),
      ['1', '2'],
    );
    assert.deepEqual(second.tree.damaged, []);
  });

  it('reads again from the start what shrank, was replaced, or was written anew in place', () => {
    for (const change of [
      (file: string) => fs.writeFileSync(file, lines(say('z', null, 'new'))),
      (file: string) => {
        fs.writeFileSync(`${file}.new`, lines(say('z', null, 'another and longer one'), b, c));
        fs.renameSync(`${file}.new`, file);
      },
      (file: string) => fs.writeFileSync(file, lines(say('z', null, 'another one, in place, and longer'), b, c, a)),
      (file: string) => fs.truncateSync(file, 10),
    ]) {
      const { file, read } = follow();
      fs.appendFileSync(file, lines(b));
      const first = read();
      change(file);
      assert.deepEqual(read(first).tree, read().tree);
    }
  });

  it('keeps what it has when the file goes away', () => {
    const { file, read } = follow();
    const first = read();
    fs.rmSync(file);
    assert.equal(ids(read(first)), 'a');
  });

  it('an earlier reading can be gone on from twice', () => {
    const { file, read } = follow();
    const first = read();
    fs.appendFileSync(file, lines(b, c));
    assert.deepEqual([ids(read(first)), ids(read(first))], ['a b c', 'a b c']);
    assert.equal(ids(first), 'a');
  });

  it('piece by piece is the same as at once, for each fixture of lines', () => {
    for (const [agent, name] of [
      ['claude-code', 'garden.jsonl'],
      ['codex', 'sessions/2026/03/01/rollout-2026-03-01T09-00-00-0aaa.jsonl'],
      ['gemini', 'session-2026-03-01T09-00-aaaa.jsonl'],
      ['qwen', 's-q.jsonl'],
      ['pi', 'v3.jsonl'],
      ['copilot-cli', 'e1/events.jsonl'],
      ['vscode', 'chatSessions/log.jsonl'],
      ['cursor', 'c1.jsonl'],
      ['windsurf', 'w1.jsonl'],
    ] as const) {
      const whole = fs.readFileSync(path.join(fixtureDir, agent, name));
      const file = path.join(temporaryRoot('pieces'), path.basename(name));
      let followed: ReturnType<typeof readTranscript> | undefined;
      for (let end = 0; end < whole.length; end += 97) {
        fs.appendFileSync(file, whole.subarray(end, end + 97));
        followed = readTranscript(agent, file, 's', followed);
      }
      assert.deepEqual(followed!.tree, readTranscript(agent, file, 's').tree, agent);
    }
  });

  it('a document that is half written, or emptied, does not take away what it held', () => {
    const file = path.join(temporaryRoot('cline'), '9_x.messages.json');
    const text = fs.readFileSync(path.join(fixtureDir, 'cline/sessions/9_x/9_x.messages.json'), 'utf8');
    fs.writeFileSync(file, text);
    const first = readTranscript('cline', file);
    for (const broken of [text.slice(0, 300), '{"messages":[]}', '', '[]']) {
      fs.writeFileSync(file, broken);
      const second = readTranscript('cline', file, undefined, first);
      assert.equal(second.tree.nodes.length, 4, JSON.stringify(broken.slice(0, 20)));
      assert.equal(second.tree.damaged.length, 1);
    }
    fs.writeFileSync(file, `${text} `);
    assert.deepEqual(readTranscript('cline', file, undefined, first).tree, first.tree);
  });
});
