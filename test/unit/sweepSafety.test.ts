// A repository is untrusted: the sweep's use of Git runs nothing that it names, and writes nothing into it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { CommandWorkspace, pathsOf } from '../support/sweepKit';
import { temporaryRoot } from '../support/ports';

/** A program that leaves a mark, by name. */
function trap(dir: string, name: string): string {
  const file = path.join(dir, name);
  fs.writeFileSync(file, `#!/bin/sh\ntouch ${path.join(dir, `ran-${name}`)}\ncat\n`, { mode: 0o755 });
  return file;
}

const ran = (dir: string) => fs.readdirSync(dir).filter((name) => name.startsWith('ran-'));

/** Every file of `.git` with its bytes and time. */
function state(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()) {
    const stat = fs.lstatSync(path.join(dir, name), { bigint: true });
    found[name] = `${stat.mtimeNs} ${stat.isFile() ? fs.readFileSync(path.join(dir, name)).toString('base64') : ''}`;
  }
  return found;
}

function sabotage(space: CommandWorkspace, top: string, traps: string): void {
  const set = (key: string, value: string) => space.sh(`git config ${key} '${value}'`, top);
  const hooks = path.join(traps, 'hooks');
  fs.mkdirSync(hooks, { recursive: true });
  for (const hook of [
    'post-index-change',
    'post-checkout',
    'pre-auto-gc',
    'fsmonitor-watchman',
    'reference-transaction',
  ]) {
    fs.copyFileSync(trap(traps, `hook-${hook}`), path.join(hooks, hook));
    fs.copyFileSync(path.join(traps, `hook-${hook}`), path.join(top, '.git', 'hooks', hook));
  }
  set('core.hooksPath', hooks);
  set('core.fsmonitor', trap(traps, 'fsmonitor'));
  set('core.pager', trap(traps, 'pager'));
  set('pager.status', trap(traps, 'pager-status'));
  set('core.sshCommand', trap(traps, 'ssh'));
  set('core.askPass', trap(traps, 'askpass'));
  set('core.editor', trap(traps, 'editor'));
  set('core.alternateRefsCommand', trap(traps, 'alternate-refs'));
  set('credential.helper', trap(traps, 'credential'));
  for (const alias of ['status', 'cat-file', 'config', 'check-attr', 'checkout-index']) {
    set(`alias.${alias}`, `!${trap(traps, `alias-${alias}`)}`);
  }
  for (const driver of ['evil', 'Odd Name.x']) {
    const name = driver.replace(/[^a-z]/gi, '');
    space.sh(`git config 'filter.${driver}.clean' ${trap(traps, `clean-${name}`)}`, top);
    space.sh(`git config 'filter.${driver}.smudge' ${trap(traps, `smudge-${name}`)}`, top);
    space.sh(`git config 'filter.${driver}.process' ${trap(traps, `process-${name}`)}`, top);
    space.sh(`git config 'filter.${driver}.required' true`, top);
  }
  set('diff.evil.textconv', trap(traps, 'textconv'));
  set('diff.evil.command', trap(traps, 'diff-command'));
  set('diff.external', trap(traps, 'diff-external'));
  // Objects that are missing would be fetched from here.
  set('remote.origin.url', 'file:///nowhere');
  set('remote.origin.promisor', 'true');
  set('remote.origin.uploadpack', trap(traps, 'uploadpack'));
  set('remote.origin.vcs', 'evil');
  set('extensions.partialClone', 'origin');
  set('core.repositoryFormatVersion', '1');
}

function prepared(): { space: CommandWorkspace; traps: string } {
  const space = new CommandWorkspace();
  const traps = temporaryRoot('traps');
  space.repository({ 'a.txt': 'a\n', 'b.evil': 'b\n', 'lost.txt': 'its object is gone\n', 'c.txt': '$Id$\n' });
  space.sh('git clone -q . sub && git add -A 2>/dev/null && git commit -qm sub');
  space.write('.gitattributes', '* diff=evil\n*.evil filter=evil\nc.txt ident\n');
  space.commit('attributes');
  fs.writeFileSync(space.at('sub/.git/info/attributes'), '* filter=evil diff=evil\n');
  const lost = space.sh('git rev-parse HEAD:lost.txt').trim();
  fs.rmSync(space.at(`.git/objects/${lost.slice(0, 2)}/${lost.slice(2)}`));
  sabotage(space, space.root, traps);
  sabotage(space, space.at('sub'), traps);
  // All that Git has to compare by bytes, and so by filters.
  const later = new Date(Date.now() + 5000);
  for (const name of ['a.txt', 'b.evil', 'sub/a.txt', 'sub/b.evil']) fs.utimesSync(space.at(name), later, later);
  space.sh('true');
  ran(traps).forEach((name) => fs.rmSync(path.join(traps, name)));
  return { space, traps };
}

describe('A sweep of a repository that names programs', () => {
  it('runs none of them, and changes no byte and no time in .git', () => {
    const { space, traps } = prepared();
    const before = [state(space.at('.git')), state(space.at('sub/.git'))];
    const request = space.request('edit');
    space.observer.beforeWrite(request);
    assert.deepEqual(ran(traps), []);
    for (const name of ['a.txt', 'b.evil', 'c.txt', 'lost.txt', 'sub/a.txt', 'sub/b.evil']) {
      fs.writeFileSync(space.at(name), 'by the agent\n');
    }
    fs.rmSync(space.at('.gitattributes'));
    space.observer.afterWrite(request);
    assert.deepEqual(ran(traps), []);
    assert.deepEqual([state(space.at('.git')), state(space.at('sub/.git'))], before);
    const [made] = space.list();
    assert.deepEqual(pathsOf(made), ['.gitattributes', 'a.txt', 'c.txt']);
    const reasons = made!.notCovered.map(({ path: name, reason }) => `${name}: ${reason}`);
    assert.ok(reasons.includes('lost.txt: Git does not hold its bytes any more'));
    for (const name of ['b.evil', 'sub/a.txt', 'sub/b.evil']) {
      assert.ok(
        reasons.some((text) => text.startsWith(`${name}: Git keeps it in another form (filter “evil”)`)),
        name,
      );
    }
    assert.equal(space.rewind().conflicts.length, 0);
    assert.deepEqual([space.read('a.txt'), space.read('c.txt')], ['a\n', '$Id$\n']);
  });

  it('the traps do work: Git itself, without those precautions, falls into them', () => {
    const { space, traps } = prepared();
    try {
      execFileSync('git', ['status'], { cwd: space.root, stdio: 'pipe' });
    } catch {
      // What the trap answers is no filter's answer.
    }
    assert.ok(ran(traps).some((name) => name.startsWith('ran-fsmonitor')));
    assert.ok(ran(traps).some((name) => /^ran-(clean|process)-/.test(name)));
  });

  it('takes no Git out of the workspace', () => {
    const { space, traps } = prepared();
    fs.mkdirSync(space.at('node_modules/.bin'), { recursive: true });
    fs.copyFileSync(trap(traps, 'git'), space.at('node_modules/.bin/git'));
    fs.chmodSync(space.at('node_modules/.bin/git'), 0o755);
    const { PATH } = process.env;
    process.env['PATH'] = `${space.at('node_modules/.bin')}${path.delimiter}.${path.delimiter}${PATH}`;
    try {
      assert.deepEqual(space.run('true'), []);
    } finally {
      process.env['PATH'] = PATH;
    }
    assert.deepEqual(ran(traps), []);
  });

  it('keeps to the work tree, whatever the configuration says it is', () => {
    const space = new CommandWorkspace();
    const elsewhere = temporaryRoot('elsewhere');
    fs.writeFileSync(path.join(elsewhere, 'private.txt'), 'private');
    space.repository({ 'a.txt': 'a\n' });
    space.sh(`git config core.worktree ${elsewhere}`);
    const request = space.request('x');
    space.observer.beforeWrite(request);
    fs.writeFileSync(space.at('a.txt'), 'b\n');
    fs.writeFileSync(path.join(elsewhere, 'private.txt'), 'changed');
    space.observer.afterWrite(request);
    assert.deepEqual(
      space.list().map((made) => pathsOf(made)),
      [['a.txt']],
    );
  });

  it('of another owner is refused by Git, and named', function () {
    if (process.getuid?.() !== 0) this.skip();
    const space = new CommandWorkspace();
    space.repository({ 'a.txt': 'a\n' });
    fs.chownSync(space.at('.git'), 65534, 65534);
    fs.chownSync(space.root, 65534, 65534);
    const request = space.request('x');
    space.observer.beforeWrite(request);
    fs.writeFileSync(space.at('a.txt'), 'b\n');
    space.observer.afterWrite(request);
    const [made] = space.list();
    assert.deepEqual(made!.entries, []);
    assert.match(made!.notCovered[0]!.reason, /does not trust its owner/);
  });

  it('with a broken index or a broken .git stops nobody, and is named', () => {
    for (const damage of ['index', 'HEAD', 'config']) {
      const space = new CommandWorkspace();
      space.repository({ 'a.txt': 'a\n' });
      fs.writeFileSync(space.at(`.git/${damage}`), 'DIRC\0\0\0\x02\xff\xff\xff\xff nonsense [');
      const request = space.request('x');
      space.observer.beforeWrite(request);
      fs.writeFileSync(space.at('a.txt'), 'b\n');
      space.observer.afterWrite(request);
      assert.ok(space.list()[0]!.notCovered.length > 0, damage);
    }
  });
});
