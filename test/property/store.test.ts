import assert from 'node:assert/strict';
import fc from 'fast-check';
import { purge } from '../../src/core/store/purge';
import { findCheckpoint, listIds } from '../../src/core/store/reader';
import { prune } from '../../src/core/store/retention';
import { rootStores } from '../../src/core/store/stores';
import { readBlob } from '../../src/core/store/storedBlob';
import { updateMeta, writeCheckpoint, type DraftState } from '../../src/core/store/writer';
import { absent, editOf, entryOf, fileState, verifiedMetas } from '../support/checkpoints';
import { temporaryRoot, testPorts, unflushed } from '../support/ports';

const file = fc.constantFrom('a', 'dir/a', 'dir_a', 'ü b', '.hidden', 'CON', 'x'.repeat(200));
const content = fc.oneof(
  fc.constantFrom('', 'same', 'other'),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);
const state = fc.option(content).map((bytes) => (bytes === null ? absent : fileState(bytes)));
const entries = fc.array(fc.record({ file, pre: state, post: fc.option(state, { nil: undefined }) }), { maxLength: 4 });

const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('write' as const), entries, fallback: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('update' as const), pick: fc.nat(), post: state }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('prune' as const),
      count: fc.integer({ min: 1, max: 5 }),
      bytes: fc.nat(200),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('purge' as const), file }) },
);

const bytesOf = (draft: DraftState | undefined) =>
  draft?.type === 'file' && draft.source.type === 'bytes'
    ? Buffer.from(draft.source.bytes).toString('hex')
    : draft?.type;

describe('a store, after any sequence of writes, updates, prunes and purges', () => {
  it('lists only checkpoints whose blobs are the bytes that were given', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 14 }), (actions) => {
        const ports = testPorts({ fs: unflushed });
        const stores = rootStores(ports, temporaryRoot());
        // What each entry should hold, by checkpoint.
        const model = new Map<string, { file: string; pre: unknown; post: unknown }[]>();
        for (const each of actions) {
          if (each.type === 'write') {
            const store = each.fallback ? stores.fallback : stores.primary;
            const drafts = each.entries.map((entry) => entryOf(entry.file, entry.pre, entry.post));
            const { id } = writeCheckpoint(ports, store, editOf(...drafts));
            model.set(
              id,
              each.entries.map((entry) => ({ file: entry.file, pre: bytesOf(entry.pre), post: bytesOf(entry.post) })),
            );
          } else if (each.type === 'update') {
            const ids = listIds(ports, stores);
            const target = ids[each.pick % Math.max(1, ids.length)];
            if (target === undefined) continue;
            updateMeta(ports, target.store, target.id, (meta, add) => ({
              ...meta,
              entries: meta.entries.map((entry, i) => ({ ...entry, post: add('post', i, entry.path, each.post) })),
            }));
            model.get(target.id)!.forEach((entry) => (entry.post = bytesOf(each.post)));
          } else if (each.type === 'prune') {
            const { removed } = prune(ports, stores, { maxCheckpoints: each.count, maxBytes: each.bytes });
            removed.forEach((id) => model.delete(id));
          } else {
            purge(ports, stores, { path: each.file }).removed.forEach((id) => model.delete(id));
            for (const kept of model.values()) {
              kept
                .filter((entry) => entry.file === each.file)
                .forEach((entry) =>
                  Object.assign(entry, {
                    pre: 'unreadable',
                    post: entry.post === undefined ? undefined : 'unreadable',
                  }),
                );
            }
          }
        }
        assert.deepEqual(new Set(verifiedMetas(ports, stores).map(({ id }) => id as string)), new Set(model.keys()));
        for (const { id, store } of listIds(ports, stores)) {
          const { meta } = findCheckpoint(ports, stores, id);
          const found = (each: (typeof meta.entries)[number]['pre'] | undefined) =>
            each?.type === 'file' ? readBlob(ports, store, id, each).toString('hex') : each?.type;
          assert.deepEqual(
            meta.entries.map((entry) => ({ file: entry.path, pre: found(entry.pre), post: found(entry.post) })),
            model.get(id),
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});
