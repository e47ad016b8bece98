// Whether any command's sweep of a root waits for its end, without loading what a sweep needs.
import path from 'node:path';
import type { Ports } from '../../ports';
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
