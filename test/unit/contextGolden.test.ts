// The texts are rewritten by UPDATE_GOLDEN=1, and compared otherwise. Read what changed before you keep it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { anthropicMessages, openAiMessages } from '../../src/core/context/dialects';
import { rebuiltMarkdown } from '../../src/core/context/markdown';
import { event, rebuild } from '../../src/core/context/rebuild';
import { strictMessages } from '../../src/core/context/strict';
import { goldenTalks, type GoldenTalk } from '../support/goldenTalks';
import { goldenTranscripts } from '../support/goldenTranscripts';
import { anthropicComplaints, chainComplaints, openAiComplaints } from '../support/strictRules';
import { deepFreeze } from '../support/talk';

const folder = path.join('test', 'golden', 'rebuild');
const talks = { ...goldenTalks, ...goldenTranscripts };
const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

function golden({ path: nodes, options }: GoldenTalk): string {
  const result = rebuild(deepFreeze(nodes), options);
  const { messages } = anthropicMessages(result.messages);
  const outline = messages.map(({ role, content }) => `${role}: ${content.map(({ type }) => type).join(', ')}`);
  assert.deepEqual(chainComplaints(strictMessages(result.messages)), []);
  assert.deepEqual(openAiComplaints(openAiMessages(result.messages)), []);
  assert.deepEqual(anthropicComplaints(messages), []);
  return [
    JSON.stringify(event(result), undefined, 2),
    outline.join('\n'),
    rebuiltMarkdown(result, 'A conversation'),
  ].join('\n\n');
}

describe('the text of a rebuilt context', () => {
  mkdirSync(folder, { recursive: true });
  for (const [name, talk] of Object.entries(talks)) {
    const file = path.join(folder, `${name}.txt`);
    it(`is as it was: ${name}`, () => {
      const text = golden(talk);
      if (isUpdate) writeFileSync(file, text);
      assert.ok(existsSync(file), `${file} is missing: make it with UPDATE_GOLDEN=1`);
      assert.equal(text, readFileSync(file, 'utf8'));
    });
  }

  it('has no texts but these', () => {
    assert.deepEqual(
      readdirSync(folder).sort(),
      Object.keys(talks)
        .map((name) => `${name}.txt`)
        .sort(),
    );
  });
});
