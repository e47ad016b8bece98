import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import path from 'node:path';
import { appendToChain } from '../../src/core/conversation/append';
import { parseConversationName } from '../../src/core/conversation/names';
import { CheckpointError } from '../../src/core/errors';
import { bruteLine, chainPlace, deltaLine, assistant, user } from '../support/chains';
import { temporaryRoot } from '../support/ports';

const c = parseConversationName('c');
const one = bruteLine('a', null, 1, [user('one')]);
const two = deltaLine('b', 'a', [assistant('two')]);

const reason = (run: () => unknown) => {
  try {
    run();
    return 'nothing thrown';
  } catch (error) {
    return error instanceof CheckpointError ? error.reason : `no CheckpointError: ${String(error)}`;
  }
};

describe('a chain that leads elsewhere', () => {
  it('is not read and not written through a link, to the file or to a folder', () => {
    const outside = temporaryRoot('outside');
    const victim = path.join(outside, 'c.jsonl');
    const append = (place: ReturnType<typeof chainPlace>) =>
      appendToChain(place.ports, place.stores, c, [{ parentId: null, messages: [user('x')] }]);
    for (const link of ['file', 'folder', 'store'] as const) {
      fs.writeFileSync(victim, one);
      const place = chainPlace();
      const at = {
        file: place.path('c.jsonl'),
        folder: path.dirname(place.path('c')),
        store: place.stores.primary.dir,
      }[link];
      fs.mkdirSync(path.dirname(at), { recursive: true });
      if (link === 'store') fs.mkdirSync(path.join(outside, 'conversations'), { recursive: true });
      fs.symlinkSync(link === 'file' ? victim : outside, at);
      assert.match(
        reason(() => place.open('c')),
        /^(damaged|store-refused)$/,
        link,
      );
      assert.match(
        reason(() => append(place)),
        /^(damaged|store-refused|store-unwritable)$/,
        link,
      );
      assert.equal(fs.readFileSync(victim, 'utf8'), one);
    }
  });

  it('a FIFO in its place does not make anybody wait', function () {
    if (process.platform === 'win32') this.skip();
    const place = chainPlace();
    place.write('x', '');
    execFileSync('mkfifo', [place.path('c.jsonl')]);
    assert.equal(
      reason(() => place.open('c')),
      'damaged',
    );
  });

  it('a head that is a link is replaced, not followed', () => {
    const outside = path.join(temporaryRoot('outside'), 'victim');
    fs.writeFileSync(outside, 'a');
    const place = chainPlace();
    place.write('c.jsonl', one + two);
    fs.symlinkSync(outside, place.path('c.head'));
    assert.equal(place.open('c').leaf, 'b');
    appendToChain(place.ports, place.stores, c, [{ id: 'n', parentId: 'b', messages: [], only: 'added' }]);
    assert.equal(fs.readFileSync(outside, 'utf8'), 'a');
    assert.equal(place.open('c').leaf, 'n');
  });
});
