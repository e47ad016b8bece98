// Writing the file of a new session, with each file call failing once.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { writeSession } from '../../src/agents/fork/writeSession';
import { CheckpointError } from '../../src/core/errors';
import type { Ports } from '../../src/core/ports';
import { faultyFs } from '../support/faultyFs';
import { temporaryRoot, testPorts } from '../support/ports';

const reasonOf = (reason: string) => (error: unknown) => CheckpointError.is(error, reason as never);

describe('writing a session’s file', () => {
  const folder = () => temporaryRoot('sessions');
  const inside = (ports: Ports, dir: string) =>
    writeSession(ports, dir, path.join(dir, 'day', 'new.jsonl'), ['one', 'two']);

  it('never replaces a file', () => {
    const dir = folder();
    fs.mkdirSync(path.join(dir, 'day'));
    fs.writeFileSync(path.join(dir, 'day', 'new.jsonl'), 'mine');
    assert.throws(() => inside(testPorts(), dir), reasonOf('failed'));
    assert.equal(fs.readFileSync(path.join(dir, 'day', 'new.jsonl'), 'utf8'), 'mine');
    assert.deepEqual(fs.readdirSync(path.join(dir, 'day')), ['new.jsonl']);
  });

  it('leaves the folder only downwards', () => {
    const dir = folder();
    const ports = testPorts();
    for (const file of [path.join(dir, '..', 'x', 'new.jsonl'), path.join(temporaryRoot('other'), 'new.jsonl')])
      assert.throws(() => writeSession(ports, dir, file, ['x']), reasonOf('refused-path'), file);
  });

  it('writes all of it or nothing, whichever call fails', () => {
    const count = (failAt: number) => {
      const dir = folder();
      const { fs: faulty, counts } = faultyFs({ failAt });
      let done = true;
      try {
        inside(testPorts({ fs: faulty }), dir);
      } catch (error) {
        assert.ok(CheckpointError.is(error, 'failed'), String(error));
        done = false;
      }
      const there = fs.existsSync(path.join(dir, 'day')) ? fs.readdirSync(path.join(dir, 'day')) : [];
      const whole = there.includes('new.jsonl');
      if (whole) assert.equal(fs.readFileSync(path.join(dir, 'day', 'new.jsonl'), 'utf8'), 'one\ntwo\n');
      assert.ok(whole || !done, `call ${failAt}`);
      return counts.calls;
    };
    const calls = count(0);
    assert.ok(calls > 8);
    for (let failAt = 1; failAt <= calls; failAt++) count(failAt);
  });
});
