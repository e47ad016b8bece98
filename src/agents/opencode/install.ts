// opencode loads plugins from a folder. A change of its configuration is not needed.
import path from 'node:path';
import { onMachine } from '../found';
import type { Installer, Place } from '../installer';
import { opencodePlugin } from './plugin';

const fileName = 'agent-checkpoints.js';

const folder = ({ home, env }: Place) =>
  env.OPENCODE_CONFIG_DIR || path.join(env.XDG_CONFIG_HOME || path.join(home, '.config'), 'opencode');

export const opencodeInstaller: Installer = {
  name: 'opencode',
  targets(scope, place, binDir) {
    const dir = scope === 'project' ? path.join(place.root, '.opencode') : folder(place);
    // The older of the two names that it looks for.
    const file = path.join(dir, 'plugin', fileName);
    return [{ kind: 'own', file, text: opencodePlugin(scope, binDir), mode: 0o644 }];
  },
  untilSeen: 'Start opencode anew: it loads plugins when it starts.',
  isFound: (ports, place) =>
    onMachine(ports, place.env, {
      folders: [folder(place), path.join(place.home, '.local', 'share', 'opencode')],
      programs: ['opencode'],
    }),
};
