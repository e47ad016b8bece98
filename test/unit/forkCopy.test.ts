import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { forkFormats } from '../../src/agents/forks';
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

describe('a copy of an agent’s session up to a node', () => {
  const ports = testPorts();

  it('is made for each agent that takes one', () => {
    assert.deepEqual(
      [...new Set(files.map(({ agent }) => agent))].sort(),
      forkFormats.map(({ agent }) => agent).sort(),
    );
  });

  for (const { agent, file } of files) {
    it(`reads back as the way to that node, for each node of ${path.basename(file)}`, () => {
      const session = path.basename(file, '.jsonl');
      const { tree } = readTranscript(agent, file, session);
      const main = tree.nodes.filter(({ sidechain, incomplete }) => sidechain !== true && incomplete !== true);
      const step = Math.max(1, Math.floor(main.length / 20));
      for (const node of main.filter((_, at) => at % step === 0)) {
        const copy = copied(ports, agent, file, session, node.id);
        const said = saidUpTo(copy.tree).filter((message) => (message as { content: string }).content !== interrupted);
        assert.deepEqual(said, saidUpTo(tree, node.id), node.id);
        assert.deepEqual(copy.tree.damaged, [], node.id);
      }
    });
  }
});
