import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../../src/core/state/atomicFile';
import { readKey } from '../../src/core/state/key';
import { lastSeen, noteSeen } from '../../src/core/state/lastSeen';
import { registeredRoots, registerRoots } from '../../src/core/state/roots';
import { readSettings, writeSettings } from '../../src/core/state/settings';
import { defaultStateDir } from '../../src/core/state/stateDir';
import { unsavedPaths, writeUnsaved } from '../../src/core/state/unsaved';
import { addWarning, clearWarning, markWarningShown, readWarnings } from '../../src/core/state/warnings';
import { faultyFs } from '../support/faultyFs';
import { temporaryRoot, testPorts } from '../support/ports';

/** A user state that cannot be made: its parent is a file. */
function blockedPorts() {
  const file = path.join(temporaryRoot(), 'file');
  fs.writeFileSync(file, '');
  return testPorts({ stateDir: path.join(file, 'state') });
}

describe('the user-state folder', () => {
  it('is where the environment says, if that is absolute, else per user', () => {
    const chosen = path.resolve('/somewhere/else');
    assert.equal(defaultStateDir({ AGENT_CHECKPOINTS_HOME: chosen }), chosen);
    for (const env of [{}, { AGENT_CHECKPOINTS_HOME: '' }, { AGENT_CHECKPOINTS_HOME: 'relative' }]) {
      assert(path.isAbsolute(defaultStateDir(env)));
      assert.match(defaultStateDir(env), /agent-checkpoints/);
    }
  });
});

describe('replacing a file', () => {
  it('leaves the old or the new content at any fault, and no leftover after an error', () => {
    const ports = testPorts();
    const dir = temporaryRoot();
    const file = path.join(dir, 'f');
    const { fs: counting, counts } = faultyFs();
    fs.writeFileSync(file, 'old');
    writeFileAtomic({ ...ports, fs: counting }, file, 'new');
    for (const mode of ['error', 'kill'] as const) {
      for (let failAt = 1; failAt <= counts.calls; failAt++) {
        fs.writeFileSync(file, 'old');
        assert.throws(() => writeFileAtomic({ ...ports, fs: faultyFs({ failAt, mode }).fs }, file, 'new'));
        assert(['old', 'new'].includes(fs.readFileSync(file, 'utf8')));
        if (mode === 'error') assert.deepEqual(fs.readdirSync(dir), ['f']);
      }
    }
  });

  it('replaces a link itself, not what it leads to', () => {
    const ports = testPorts();
    const dir = temporaryRoot();
    fs.writeFileSync(path.join(dir, 'victim'), 'mine');
    fs.symlinkSync('victim', path.join(dir, 'f'));
    writeFileAtomic(ports, path.join(dir, 'f'), 'new');
    assert.equal(fs.readFileSync(path.join(dir, 'victim'), 'utf8'), 'mine');
    assert.equal(fs.readFileSync(path.join(dir, 'f'), 'utf8'), 'new');
  });
});

describe('the key', () => {
  it('is made once, only when asked for', () => {
    const ports = testPorts();
    assert.equal(readKey(ports, { create: false }), undefined);
    const key = readKey(ports, { create: true });
    assert.equal(key?.length, 32);
    assert.deepEqual(readKey(ports, { create: true }), key);
    assert.deepEqual(fs.readdirSync(ports.stateDir), ['key']);
  });

  it('is the other process’s where that was faster', () => {
    const ports = testPorts();
    let theirs: Buffer | undefined;
    const racing = {
      ...ports,
      fs: {
        ...fs,
        linkSync: (from: string, to: string) => {
          theirs ??= readKey(ports, { create: true });
          fs.linkSync(from, to);
        },
      } as typeof ports.fs,
    };
    assert.deepEqual(readKey(racing, { create: true }), theirs);
  });

  it('is undefined, without an error, where it is damaged or out of reach', () => {
    const ports = testPorts();
    fs.mkdirSync(ports.stateDir, { recursive: true });
    for (const content of ['', 'short', 'x'.repeat(33)]) {
      fs.writeFileSync(path.join(ports.stateDir, 'key'), content);
      assert.equal(readKey(ports, { create: true }), undefined);
    }
    assert.equal(readKey(blockedPorts(), { create: true }), undefined);
  });

  it('is whole or missing after a kill at any call', () => {
    for (let failAt = 1; failAt < 14; failAt++) {
      const ports = testPorts();
      readKey({ ...ports, fs: faultyFs({ failAt, mode: 'kill' }).fs }, { create: true });
      assert.equal(readKey(ports, { create: true })?.length, 32, `call ${failAt}`);
    }
  });
});

describe('registered roots', () => {
  it('are real paths, merged, without those that are gone', () => {
    const ports = testPorts();
    const [a, b] = [temporaryRoot(), temporaryRoot()];
    const link = path.join(temporaryRoot(), 'link');
    fs.symlinkSync(b, link);
    registerRoots(ports, [a]);
    registerRoots(ports, [link, a, path.join(a, 'missing')]);
    assert.deepEqual(registeredRoots(ports), [a, b]);
    fs.rmdirSync(a);
    registerRoots(ports, []);
    assert.deepEqual(registeredRoots(ports), [b]);
  });

  it('are none where the file is damaged', () => {
    const ports = testPorts();
    registerRoots(ports, [temporaryRoot()]);
    for (const content of ['{', '{}', '[1, "relative"]']) {
      fs.writeFileSync(path.join(ports.stateDir, 'roots.json'), content);
      assert.deepEqual(registeredRoots(ports), []);
    }
  });
});

describe('settings', () => {
  it('come back as written, and are the defaults where missing or of the wrong type', () => {
    const ports = testPorts();
    const defaults = readSettings(ports);
    assert.equal(defaults.enabled, undefined);
    assert.equal(defaults.maxFileBytes, 100 * 2 ** 20);
    assert.deepEqual(defaults.retention, { maxCheckpoints: 1000, maxBytes: 2 ** 30 });
    const mine = { ...defaults, enabled: false, retention: { maxCheckpoints: 5, maxBytes: 6, maxAgeDays: 7 } };
    writeSettings(ports, mine);
    assert.deepEqual(readSettings(ports), mine);
    for (const content of ['', 'null', '7', '{"enabled":"yes","maxFileBytes":-1,"retention":{"maxCheckpoints":0}}']) {
      fs.writeFileSync(path.join(ports.stateDir, 'settings.json'), content);
      assert.deepEqual(JSON.parse(JSON.stringify(readSettings(ports))), JSON.parse(JSON.stringify(defaults)), content);
    }
  });
});

describe('warnings', () => {
  it('are kept once for each key until cleared, and marked when shown', () => {
    const ports = testPorts();
    addWarning(ports, { key: 'store:/a', text: 'first' });
    addWarning(ports, { key: 'store:/a', text: 'second' });
    addWarning(ports, { key: 'other', text: 'third' });
    const [a, b] = readWarnings(ports);
    assert.deepEqual([a?.text, a?.shown, b?.text], ['first', false, 'third']);
    assert(a!.at < b!.at);
    markWarningShown(ports, 'store:/a');
    markWarningShown(ports, 'never there');
    assert.deepEqual(
      readWarnings(ports).map(({ shown }) => shown),
      [true, false],
    );
    clearWarning(ports, 'store:/a');
    addWarning(ports, { key: 'store:/a', text: 'again' });
    assert.deepEqual(
      readWarnings(ports).map(({ text }) => text),
      ['third', 'again'],
    );
  });

  it('never throw', () => {
    const ports = blockedPorts();
    addWarning(ports, { key: 'k', text: 't' });
    markWarningShown(ports, 'k');
    clearWarning(ports, 'k');
    assert.deepEqual(readWarnings(ports), []);
  });
});

describe('the last time an agent was seen', () => {
  it('is kept for each agent, and never an error', () => {
    const ports = testPorts();
    noteSeen(ports, 'claude-code');
    noteSeen(ports, '../escape');
    assert.deepEqual(Object.keys(lastSeen(ports)), ['claude-code']);
    const first = lastSeen(ports)['claude-code']!;
    noteSeen(ports, 'claude-code');
    assert(lastSeen(ports)['claude-code']! > first);
    noteSeen(blockedPorts(), 'claude-code');
    assert.deepEqual(lastSeen(blockedPorts()), {});
  });
});

describe('unsaved editors', () => {
  it('are the union over the windows that are alive', () => {
    const ports = testPorts();
    writeUnsaved(ports, 'one', ['/w/a', '/w/b']);
    writeUnsaved(ports, '../two', ['/w/c']);
    assert.deepEqual([...unsavedPaths(ports)].sort(), ['/w/a', '/w/b', '/w/c']);
    writeUnsaved(ports, 'one', []);
    assert.deepEqual([...unsavedPaths(ports)], ['/w/c']);
    const folder = path.join(ports.stateDir, 'unsaved');
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    fs.writeFileSync(path.join(folder, `${'0'.repeat(32)}.json`), JSON.stringify({ pid, paths: ['/w/dead'] }));
    assert.deepEqual([...unsavedPaths(ports)], ['/w/c']);
    assert.equal(fs.readdirSync(folder).length, 1);
  });
});
