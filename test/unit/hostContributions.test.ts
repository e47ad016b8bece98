import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import {
  checkpointsView,
  commandIds,
  containerId,
  conversationsView,
  mcpProviderId,
  planView,
  settingIds,
  walkthroughId,
} from '../../src/host/contributions';
import { toolNames } from '../../src/tools/names';
import { tools } from '../../src/tools/tools';

interface Contribution {
  command: string;
  when?: string;
}

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const manifest = read('package.json');
const texts: Record<string, string> = read('package.nls.json');
const { contributes } = manifest;
const sorted = (list: readonly string[]) => [...list].sort();

describe('package.json', () => {
  it('contributes exactly the commands of the code', () => {
    assert.deepEqual(sorted(contributes.commands.map(({ command }: Contribution) => command)), sorted(commandIds));
  });

  it('contributes exactly the settings of the code', () => {
    assert.deepEqual(sorted(Object.keys(contributes.configuration.properties)), sorted(settingIds));
  });

  it('contributes the views of the code', () => {
    assert.deepEqual(
      contributes.views[containerId].map(({ id }: { id: string }) => id),
      [checkpointsView, conversationsView, planView],
    );
    assert.equal(contributes.walkthroughs[0].id, walkthroughId);
  });

  it('hides from the palette every command that needs a row, and no other', () => {
    const hidden = contributes.menus.commandPalette
      .filter(({ when }: Contribution) => when === 'false')
      .map(({ command }: Contribution) => command);
    const shown = commandIds.filter((id) => !hidden.includes(id)).map((id) => id.replace('agentCheckpoints.', ''));
    assert.deepEqual(sorted(shown), [
      'cancelPlan',
      'closePeek',
      'createCheckpoint',
      'forkConversation',
      'openConversation',
      'peekChanges',
      'peekNext',
      'peekPrevious',
      'peekShowBefore',
      'peekUndoHunk',
      'rebuildContext',
      'recoverPastSessions',
      'redo',
      'restoreCheckpoint',
      'runPlan',
      'setUpAgents',
      'showCheckpoints',
      'showLog',
      'showPlan',
      'undoLastTurn',
      'useMerge',
      'verifyStore',
    ]);
  });

  it('names only commands that exist in its menus', () => {
    const named = Object.values<Contribution[]>(contributes.menus).flat();
    for (const { command } of named) assert.ok((commandIds as readonly string[]).includes(command), command);
  });

  it('has each of its texts, and no text that is not used', () => {
    const used = new Set([...JSON.stringify(manifest).matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key!));
    assert.deepEqual(sorted([...used]), sorted(Object.keys(texts)));
  });

  it('gives the commands of the palette their exact titles', () => {
    const title = (id: string) => texts[`command.${id}`];
    assert.equal(texts['category'], 'Agent');
    assert.equal(title('restoreCheckpoint'), 'Restore Checkpoint…');
    assert.equal(title('undoLastTurn'), 'Undo Last Turn');
    assert.equal(title('redo'), 'Redo');
    assert.equal(title('createCheckpoint'), 'Create Checkpoint');
    assert.equal(title('peekChanges'), 'Peek Changes');
    assert.equal(title('forkConversation'), 'Fork Conversation Here');
    assert.equal(title('rebuildContext'), 'Rebuild Context');
    assert.equal(title('setUpAgents'), 'Set Up Agents…');
    assert.equal(title('verifyStore'), 'Verify Store');
  });

  it('offers the tools of the code to models, each as it is over MCP, and none while capture is off', () => {
    const contributed = contributes.languageModelTools as Record<string, unknown>[];
    assert.deepEqual(
      contributed.map(({ name, modelDescription, inputSchema }) => ({ name, modelDescription, inputSchema })),
      tools.map(({ name, description, input }) => ({ name, modelDescription: description, inputSchema: input })),
    );
    assert.deepEqual(
      tools.map(({ name }) => name),
      toolNames,
    );
    for (const tool of contributed) {
      assert.equal(tool['when'], 'config.agentCheckpoints.enabled');
      assert.equal(tool['canBeReferencedInPrompt'], true);
    }
    assert.deepEqual(
      contributes.mcpServerDefinitionProviders.map(({ id }: { id: string }) => id),
      [mcpProviderId],
    );
  });

  it('ships the pictures it names', () => {
    const files = [...JSON.stringify(contributes).matchAll(/"(media\/[^"]+)"/g)].map(([, file]) => file!);
    for (const file of [...files, manifest.icon]) assert.ok(existsSync(file), file);
  });

  it('lets no workspace change what is captured', () => {
    const scopes = Object.entries<{ scope: string }>(contributes.configuration.properties)
      .filter(([id]) => !/statusBar|peek/.test(id))
      .map(([, { scope }]) => scope);
    assert.deepEqual([...new Set(scopes)], ['machine']);
  });
});
