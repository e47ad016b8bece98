import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import fc from 'fast-check';
import { closeStale } from '../../src/core/capture/close';
import { canonical, derive, matches } from '../../src/core/capture/expected';
import type { WriteRequest } from '../../src/core/capture/request';
import { endTurn } from '../../src/core/capture/turns';
import { bytesOf, content, workspace, type Workspace } from '../support/captureKit';
import { faultyFs } from '../support/faultyFs';

const word = fc.constantFrom('a', 'b', 'ab', '\n', 'é', '日', ' ', '\t');
const text = fc.array(word, { maxLength: 20 }).map((words) => words.join(''));

describe('the derived bytes', () => {
  const encodings = {
    plain: (bytes: string) => Buffer.from(bytes),
    crlf: (bytes: string) => Buffer.from(bytes.replaceAll('\n', '\r\n')),
    marked: (bytes: string) => Buffer.from(`\ufeff${bytes}`),
    utf16: (bytes: string) => Buffer.from(`\ufeff${bytes}`, 'utf16le'),
  };

  it('of an edit are found in every encoding that tools write', () => {
    const from = fc.constantFrom(...Object.values(encodings));
    fc.assert(
      fc.property(text, text, text, text, from, from, (head, oldText, tail, newText, before, after) => {
        fc.pre(oldText !== '' && !(head + oldText + tail).slice(0, head.length + oldText.length - 1).includes(oldText));
        const derived = derive(before(head + oldText + tail), { type: 'edits', edits: [{ oldText, newText }] });
        assert.ok(derived !== undefined && matches(after(head + newText + tail), derived));
      }),
    );
  });

  it('are matched by no other text', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        fc.pre(a !== b && b !== `${a}\n`);
        assert.ok(!matches(Buffer.from(b), derive(undefined, content(a))!));
      }),
    );
  });

  it('have one canonical form', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void canonical(Buffer.from(bytes))));
    fc.assert(
      fc.property(text, fc.constantFrom(...Object.values(encodings)), (one, encode) => {
        assert.equal(canonical(encode(one)).toString(), one);
      }),
    );
  });
});

type Step =
  | { type: 'call'; file: string; text: string; post: boolean; early: boolean; derivable: boolean; denied: boolean }
  | { type: 'person'; file: string; text: string }
  | { type: 'stop' }
  | { type: 'read' };

const file = fc.constantFrom('x', 'y', 'd/z');
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('call' as const),
      file,
      text: fc.constantFrom('1', '2', '3', 'long\r\ntext\r\n'),
      post: fc.boolean(),
      early: fc.boolean(),
      derivable: fc.boolean(),
      denied: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('person' as const), file, text: fc.constantFrom('p', 'q') }) },
  { weight: 1, arbitrary: fc.constant({ type: 'stop' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'read' as const }) },
);

/** What really happened in one call. */
interface Truth {
  readonly id: string;
  readonly file: string;
  readonly before: string | undefined;
  /** What the call was to write; where it was denied in silence, its input is all that tells its bytes from others. */
  readonly input: string;
  readonly denied: boolean;
  readonly derivable: boolean;
}

function run(space: Workspace, steps: readonly Step[]): Truth[] {
  const truths: Truth[] = [];
  const stop = () => endTurn(space.ports, { agent: { name: 'x', session: 's1' }, cwd: space.root });
  for (const one of steps) {
    if (one.type === 'person') space.write(one.file, one.text);
    else if (one.type === 'stop') stop();
    else if (one.type === 'read') closeStale(space.ports, space.stores);
    else {
      const expected = one.derivable ? { expected: content(one.text) } : {};
      const request: WriteRequest = space.request([{ path: space.file(one.file), ...expected }]);
      const before = space.read(one.file);
      const { checkpoints } = space.observer.beforeWrite(request);
      truths.push({ ...one, id: checkpoints[0]!.id, before, input: one.text });
      // An agent that reports too early says what it will write; one that cannot be checked is not believed so far.
      if (one.early && one.post && !one.denied) space.observer.afterWrite(request);
      if (!one.denied) space.write(one.file, one.text);
      else if (one.post) space.observer.abandon(request);
      if (!one.early && one.post && !one.denied) space.observer.afterWrite(request);
    }
  }
  stop();
  return truths;
}

describe('any history of an agent and a person', () => {
  it('has true pre-images, and never takes a person’s bytes for the agent’s', function () {
    this.timeout(180_000);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const space = workspace({ fs: faultyFs({ unflushed: true }).fs });
        try {
          const truths = run(space, steps);
          const listed = new Map(space.list().map((meta) => [String(meta.id), meta]));
          assert.equal(listed.size, truths.length);
          for (const { id, file: name, before, input, denied, derivable } of truths) {
            const wrote = denied && !derivable ? undefined : input;
            const meta = listed.get(id)!;
            const entry = meta.entries.find((each) => each.path === name)!;
            assert.notEqual(meta.status, 'pending');
            if (before === undefined) assert.equal(entry.pre.type, 'absent');
            else assert.equal(bytesOf(space, meta, name).toString(), before);
            if (entry.post?.type !== 'file' || entry.post.inferred) continue;
            const after = bytesOf(space, meta, name, 'post').toString();
            assert.ok(after === wrote || after === before, `${JSON.stringify(after)} was neither before nor written`);
          }
        } finally {
          fs.rmSync(space.root, { recursive: true });
        }
      }),
      { numRuns: 150 },
    );
  });
});
