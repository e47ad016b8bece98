// Whether any command's sweep of a root waits for its end, without loading what a sweep needs.
import path from 'node:path';
import type { Ports } from '../../ports';
import { removeQuietly } from '../../state/atomicFile';
import { isCheckpointId } from '../../store/ids';
import { rootKey, type RootStores } from '../../store/stores';

/** The folders of sweeps, in user state first. */
export const sweepFolders = (ports: Ports, { root, primary }: RootStores): readonly [string, string] => [
  path.join(ports.stateDir, 'sweeps', rootKey(root)),
  path.join(primary.dir, 'sweeps'),
];

/** Never throws. */
export function hasOpenSweeps({ fs, ...ports }: Ports, stores: RootStores): boolean {
  return sweepFolders({ fs, ...ports }, stores).some((dir) => {
    try {
      return fs
        .readdirSync(dir)
        .some((id) => isCheckpointId(id) && fs.readdirSync(path.join(dir, id)).every((name) => name !== 'closed.json'));
    } catch {
      return false;
    }
  });
}

/** Removes what was copied before commands that are over. Never throws. */
export function removeOverSweeps(ports: Ports, stores: RootStores): void {
  const [dir] = sweepFolders(ports, stores);
  try {
    for (const id of ports.fs.readdirSync(dir).filter(isCheckpointId)) {
      const folder = path.join(dir, id);
      if (ports.fs.readdirSync(folder).includes('closed.json')) removeQuietly(ports, folder);
    }
  } catch {
    // There are none.
  }
}
