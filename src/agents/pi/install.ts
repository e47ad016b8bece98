// Pi loads extensions from a folder.
import path from 'node:path';
import { onMachine } from '../found';
import type { Installer, Place } from '../installer';
import { piExtension } from './extension';

const fileName = 'agent-checkpoints.ts';

const folder = ({ home, env }: Place) => {
  const moved = env.PI_CODING_AGENT_DIR;
  if (!moved) return path.join(home, '.pi', 'agent');
  return moved === '~' || moved.startsWith('~/') ? path.join(home, moved.slice(1)) : moved;
};

export const piInstaller: Installer = {
  name: 'pi',
  targets(scope, place, binDir) {
    const dir = scope === 'project' ? path.join(place.root, '.pi') : folder(place);
    return [
      { kind: 'own', file: path.join(dir, 'extensions', fileName), text: piExtension(scope, binDir), mode: 0o644 },
    ];
  },
  untilSeen: 'Start pi anew, or type /reload in it.',
  isFound: (ports, place) => onMachine(ports, place.env, { folders: [folder(place)], programs: ['pi'] }),
};
