// Codex's hooks.json: Claude Code's shape, strict JSON. Codex runs a hook only once the person has approved it, and
// skips it without a word until then; any change of the entry voids the approval.
import path from 'node:path';
import type { Ports } from '../../core/ports';
import { onMachine } from '../found';
import { systemCommand } from '../hookCommand';
import type { HookEntry, HookLayout } from '../hookEntries';
import type { Installer, Place } from '../installer';
import { trustHash } from './trust';

const matcher = '^(apply_patch|Edit|Write|Bash|.*(write_file|edit_file|move_file|create_directory))$';
/** Seconds. */
const timeout = 30;

const folder = ({ home, env }: Place) => env.CODEX_HOME || path.join(home, '.codex');

function layoutOf(entry: HookEntry): HookLayout {
  return {
    grouped: true,
    syntax: 'json',
    events: {
      PreToolUse: { matcher, entry },
      PostToolUse: { matcher, entry },
      UserPromptSubmit: { entry },
      SubagentStop: { entry },
      Stop: { entry },
    },
  };
}

export const codexInstaller: Installer = {
  name: 'codex',
  targets(scope, place, binDir) {
    const entry = { type: 'command', command: systemCommand(scope, binDir, 'codex'), timeout };
    const dir = scope === 'project' ? path.join(place.root, '.codex') : folder(place);
    return [{ kind: 'entries', file: path.join(dir, 'hooks.json'), layout: layoutOf(entry) }];
  },
  needs(_scope, config, place, ports) {
    const settings = readText(ports, path.join(folder(place), 'config.toml'));
    if (/^\s*(hooks|codex_hooks)\s*=\s*false/m.test(settings))
      return 'Hooks are off in Codex’s config.toml: turn them on.';
    return ourHashes(config).every((hash) => settings.includes(hash))
      ? undefined
      : 'Approve the hooks once: start codex, type /hooks, and trust them. Until then Codex does not run them.';
  },
  isFound: (ports, place) => onMachine(ports, place.env, { folders: [folder(place)], programs: ['codex'] }),
};

/** What the person's approval of each of our entries looks like. */
function ourHashes({ hooks }: Readonly<Record<string, unknown>>): string[] {
  return Object.entries((hooks ?? {}) as Record<string, Group[]>).flatMap(([event, groups]) =>
    groups.flatMap((group) =>
      (Array.isArray(group?.hooks) ? group.hooks : [])
        .filter((entry) => String(entry?.command).includes('agent-checkpoints-hook'))
        .map((entry) => trustHash(event, group.matcher, entry)),
    ),
  );
}

interface Group {
  readonly matcher?: string;
  readonly hooks?: { readonly command?: unknown; readonly timeout?: unknown }[];
}

function readText({ fs }: Ports, file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
