import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { forkFormats } from '../../src/agents/forks';
import type { ConversationTree } from '../../src/core/conversation/model';
import { interrupted } from '../../src/core/context/repair';
import { copied, saidUpTo } from '../support/forkKit';
import { testPorts } from '../support/ports';
import { fixtureDir, readTranscript } from '../support/transcriptKit';

const recorded = process.env['RECORDED_TRANSCRIPTS'] ?? '../shared/fixtures';
const own: [agent: string, folder: string][] = [
  ['claude-code', path.join(fixtureDir, 'claude-code')],
  ['codex', path.join(fixtureDir, 'codex')],
  ['pi', path.join(fixtureDir, 'pi')],
  ['claude-code', path.join(recorded, 'runs', 'claude')],
  ['codex', path.join(recorded, 'runs', 'codex')],
  ['pi', path.join(recorded, 'runs', 'pi')],
  ['claude-code', path.join(recorded, 'transcripts', 'claude')],
  ['codex', path.join(recorded, 'transcripts', 'codex')],
  ['pi', path.join(recorded, 'transcripts', 'pi')],
];

const files = own.flatMap(([agent, folder]) =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.jsonl'))
        .map((name) => ({ agent, file: path.join(folder, name) }))
    : [],
);

/** Without the results that a copy gives to calls that were never answered. */
const saidByAgent = (tree: ConversationTree) =>
  saidUpTo(tree).filter((message) => (message as { content: string }).content !== interrupted);

describe('a copy of an agent’s session up to a node', () => {
  const ports = testPorts();

  it('is made for each agent that takes one', () => {
    const lines = forkFormats.map(({ agent }) => agent).filter((agent) => agent !== 'opencode');
    assert.deepEqual([...new Set(files.map(({ agent }) => agent))].sort(), lines.sort());
  });

  for (const [name, session] of [
    ['export.json', 'ses_1'],
    ['rows.db', 'ses_3'],
    ['storage/session/prj/ses_2.json', 'ses_2'],
  ] as const) {
    it(`is a document of opencode in which every id is a new one: ${name}`, () => {
      const file = path.join(fixtureDir, 'opencode', name);
      const { tree } = readTranscript('opencode', file, session);
      assert.ok(tree.nodes.length > 1);
      for (const node of tree.nodes) {
        const copy = copied(ports, 'opencode', file, session, node.id);
        assert.deepEqual(saidByAgent(copy.tree), saidUpTo(tree, node.id));
        const { info, messages } = JSON.parse(copy.lines[0]!);
        assert.equal(info.id, copy.id);
        const ids = messages.flatMap((message: { info: { id: string }; parts: { id: string }[] }) => [
          message.info.id,
          ...message.parts.map(({ id }) => id),
        ]);
        assert.equal(new Set(ids).size, ids.length);
        for (const id of ids) assert.match(id, /^(msg|prt)_[0-9a-f]{12}[0-9A-Za-z]{14}$/);
        assert.doesNotMatch(copy.lines[0]!, new RegExp(`"${session}"|"${node.id}"`));
      }
    });
  }

  for (const { agent, file } of files) {
    it(`reads back as the way to that node, for each node of ${path.basename(file)}`, () => {
      const session = path.basename(file, '.jsonl');
      const { tree } = readTranscript(agent, file, session);
      const main = tree.nodes.filter(({ sidechain, incomplete }) => sidechain !== true && incomplete !== true);
      const step = Math.max(1, Math.floor(main.length / 20));
      for (const node of main.filter((_, at) => at % step === 0)) {
        const copy = copied(ports, agent, file, session, node.id);
        assert.deepEqual(saidByAgent(copy.tree), saidUpTo(tree, node.id), node.id);
        assert.deepEqual(copy.tree.damaged, [], node.id);
      }
    });
  }
});
