// Short ways to say what a test stores.
import path from 'node:path';
import type { Ports } from '../../src/core/ports';
import type { Meta } from '../../src/core/store/meta';
import { listIds, readMeta } from '../../src/core/store/reader';
import { verifyBlob } from '../../src/core/store/storedBlob';
import type { RootStores } from '../../src/core/store/stores';
import type { CheckpointDraft, DraftEntry, DraftState } from '../../src/core/store/writer';

/** A file's state with these bytes. */
export const fileState = (content: string | Uint8Array, mode = 0o644): DraftState => ({
  type: 'file',
  mode,
  source: { type: 'bytes', bytes: Buffer.from(content) },
});

export const absent: DraftState = { type: 'absent' };

/** An entry whose pre-image was had before the write. */
export const entryOf = (file: string, pre: DraftState, post?: DraftState): DraftEntry => ({
  path: file,
  pre,
  provenance: 'before-write',
  ...(post !== undefined && { post }),
});

/** A finished edit of these entries. */
export const editOf = (...entries: DraftEntry[]): CheckpointDraft => ({ kind: 'edit', status: 'done', entries });

/** All metadata of both stores, newest first, after every blob was verified. */
export function verifiedMetas(ports: Ports, stores: RootStores): Meta[] {
  return listIds(ports, stores).map(({ id, store }) => {
    const meta = readMeta(ports, store, id);
    for (const { pre, post } of meta.entries) {
      for (const state of [pre, post]) if (state?.type === 'file') verifyBlob(ports, store, id, state);
    }
    return meta;
  });
}

/** Names below a folder, with `/`, sorted; folders end in `/`. */
export function namesBelow({ fs }: Ports, dir: string, prefix = ''): string[] {
  if (!fs.lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return [];
  return fs
    .readdirSync(dir, { withFileTypes: true })
    .flatMap((each) =>
      each.isDirectory()
        ? [
            `${prefix}${each.name}/`,
            ...namesBelow({ fs } as Ports, path.join(dir, each.name), `${prefix}${each.name}/`),
          ]
        : [`${prefix}${each.name}`],
    )
    .sort();
}
