// opencode's database, with its log, whole and damaged.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { transcriptReaders } from '../../src/agents/transcripts';
import { temporaryRoot, testPorts } from '../support/ports';
import { fixtureDir, readTranscript } from '../support/transcriptKit';

describe('opencode’s database', () => {
  const copy = (change: (bytes: Buffer) => Buffer = (bytes) => bytes, withLog = true) => {
    const file = path.join(temporaryRoot('db'), 'opencode.db');
    fs.writeFileSync(file, change(fs.readFileSync(path.join(fixtureDir, 'opencode/rows.db'))));
    if (withLog) fs.copyFileSync(path.join(fixtureDir, 'opencode/rows.db-wal'), `${file}-wal`);
    return file;
  };

  it('is read with what was committed to its log, also values over many pages', () => {
    const { tree } = readTranscript('opencode', copy(), 'ses_3');
    assert.deepEqual(
      tree.nodes.map(({ id }) => id),
      ['msg_1', 'msg_2'],
    );
    assert.equal(tree.nodes[1]!.messages[0]!.content, 'bean '.repeat(1000));
    assert.equal(readTranscript('opencode', copy(undefined, false), 'ses_3').tree.nodes.length, 1);
  });

  it('lists its sessions', () => {
    const home = temporaryRoot('home');
    const dir = path.join(home, '.local/share/opencode');
    fs.mkdirSync(dir, { recursive: true });
    fs.copyFileSync(copy(), path.join(dir, 'opencode.db'));
    const reader = transcriptReaders.find(({ agent }) => agent === 'opencode')!;
    const locate = () => reader.locate(testPorts(), { env: {}, home, roots: ['/w/garden'] });
    assert.deepEqual(
      locate().map(({ session, title }) => [session, title]),
      [['ses_3', 'Garden rows']],
    );
    fs.writeFileSync(path.join(dir, 'opencode.db'), 'SQLite format 3\0 and no more');
    assert.match(reader.locate(testPorts(), { env: {}, home })[0]!.unreadable!, /opencode export/);
  });

  it('a damaged one is told, and never hangs', function () {
    this.timeout(60_000);
    const whole = fs.readFileSync(path.join(fixtureDir, 'opencode/rows.db'));
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below;
    for (let i = 0; i < 150; i++) {
      const { tree } = readTranscript(
        'opencode',
        copy(
          (bytes) => {
            const changed = Buffer.from(bytes);
            for (let n = 0; n < 1 + random(20); n++) changed[random(changed.length)] = random(256);
            return random(3) === 0 ? changed.subarray(0, random(whole.length)) : changed;
          },
          random(2) === 0,
        ),
        'ses_3',
      );
      assert.ok(Array.isArray(tree.nodes));
    }
  });
});
