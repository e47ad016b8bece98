// A workspace in which agents have worked, made through the real hook entry point.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { playTurns } from '../../sample/scriptedAgent.mjs';
import { writeWorkspace } from '../../sample/workspace.mjs';
import { checkout } from '../../setup/prepare.mjs';

const cli = join(checkout, 'dist', 'cli.js');

/** A temporary workspace and user state of its own. `play(turns)` lets agents work in it; `remove()` deletes all. */
export function temporaryHistory() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'agent-checkpoints-ui-')));
  const root = join(base, 'corner shop');
  const env = { ...process.env, AGENT_CHECKPOINTS_HOME: join(base, 'state'), HOME: join(base, 'home') };
  mkdirSync(env.HOME);
  writeWorkspace(root);
  return {
    root,
    env,
    cli,
    play: (turns) => playTurns(turns, { cli, root, env }),
    tree: () => treeOf(root),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** Every file below a folder, without the store: its path, bytes and mode. Two equal trees are deep-equal. */
export function treeOf(root) {
  return Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !relative(root, file).startsWith('.system_generated'))
      .sort()
      .flatMap((file) => stateOf(root, file)),
  );
}

function stateOf(root, file) {
  try {
    return [[relative(root, file), `${(statSync(file).mode & 0o777).toString(8)} ${readFileSync(file, 'base64')}`]];
  } catch (error) {
    // Gone since the folder was read: a restore may be at work while a test watches.
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
