import assert from 'node:assert/strict';
import { digest } from '../../src/core/context/digest';
import { saidText } from '../../src/core/context/saidText';
import { assistant, user } from '../support/talk';

describe('what a person said', () => {
  const cases: [string, string, string][] = [
    ['plain words', 'Plant the beans', 'Plant the beans'],
    ['an environment alone', '<environment_context>\n<cwd>/w</cwd>\n</environment_context>', ''],
    ['words before a block', 'Plant\n<environment_details>\nnoon\n</environment_details>\n', 'Plant'],
    ['words around a block', 'Plant\n<system-reminder>x</system-reminder>\nbeans', 'Plant\n\nbeans'],
    ['words in a block', '<context>\nday\n</context>\n<userRequest>\nPlant\n</userRequest>\n<x>', 'Plant'],
    ['a block that does not end', '<context>\nPlant', '<context>\nPlant'],
    ['tags that mean nothing', '<div>\nPlant\n</div>', '<div>\nPlant\n</div>'],
    ['tags in the middle of a line', 'Write <context></context> there', 'Write <context></context> there'],
  ];
  for (const [name, text, said] of cases)
    it(`is told from what was put in: ${name}`, () => {
      assert.equal(saidText(user(text)), said);
    });

  it('is found in a long text of many open blocks', () => {
    const text = `${'<context>\n'.repeat(200_000)}</div>`;
    assert.equal(saidText(user(text)), text);
  });

  it('is what a digest calls a request, and what was put in is not', () => {
    const text = digest([
      user('<environment_context>You must never look.</environment_context>'),
      user('<task>\nPlant the beans. Never dig deep.\n</task>\n<environment_details>noon</environment_details>'),
      assistant('Done.'),
    ]);
    assert.equal(text, '## Requests\n- Plant the beans. Never dig deep.\n\n## Constraints\n- Never dig deep.');
  });
});
