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
    filesBelow(root)
      .sort()
      .flatMap((file) => stateOf(root, file)),
  );
}

/** The store is not looked into: what is in it comes and goes while a test watches. */
function filesBelow(folder) {
  return entriesOf(folder).flatMap((entry) => {
    if (entry.name === '.system_generated') return [];
    const at = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(at);
    return entry.isFile() ? [at] : [];
  });
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
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
