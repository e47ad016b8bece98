// What each test host is made of. Every part comes out of a package of the npm registry with its binaries inside,
// so that no compiler, no Debian package and no other download is needed.
//
// The VS Code in question is the server and workbench that code-server ships in `lib/vscode`: built from VS Code's own
// sources of that version. Only that folder is used, not code-server's own program around it.

/** Raise this when the steps of set-up change, so that hosts set up by an older recipe are set up again. */
export const RECIPE = 1;

const arch = process.arch;

/** The newest VS Code that the tests know, and the oldest that the extension supports. */
export const recipes = {
  '1.139.1': {
    codeServer: 'code-server@4.139.1',
    node: `node-linux-${arch}@24.22.3`,
    watchdog: '@vscode/native-watchdog',
    // node-pty, @parcel/watcher and ripgrep of this version ship their Linux binaries.
    extras: [],
  },
  '1.100.3': {
    codeServer: 'code-server@4.100.3',
    node: `node-linux-${arch}@20.20.2`,
    watchdog: 'native-watchdog',
    extras: [
      // Terminals: this node-pty has no Linux binary, and would be compiled. The binary is the same API's, prebuilt.
      { from: `@lydell/node-pty-linux-${arch}@1.1.0`, file: 'pty.node', to: 'node-pty/build/Release/pty.node' },
      // Search and findFiles: @vscode/ripgrep downloads its program in an install script, which does not run here.
      { from: `@vscode/ripgrep-linux-${arch}@1.18.0`, file: 'bin/rg', to: '@vscode/ripgrep/bin/rg' },
    ],
  },
};

export const newest = '1.139.1';
export const oldest = '1.100.3';

export function recipeOf(name) {
  const recipe = recipes[name];
  if (!recipe) throw new Error(`No recipe for VS Code ${name}. Known: ${Object.keys(recipes).join(', ')}.`);
  return recipe;
}
