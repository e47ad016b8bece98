// import: what agents' own records hold of files as they were becomes checkpoints.
import { recoverableAgents, recoverableSessions } from '../../agents/recovery';
import { recoveryIn, writeRecovery } from '../../core/capture/recovered';
import { CheckpointError } from '../../core/errors';
import { readSettings } from '../../core/state/settings';
import { homeOf } from '../../tools/home';
import { counted, padEnd, safeLine } from './screen';
import { UsageError } from '../../tools/usage';
import { textOption, type Verb } from './verb';

export const importPast: Verb = {
  name: 'import',
  usage: '[agent] [--session S] [--dry-run]',
  summary: 'recover what agents did before they were set up, from their own records',
  details: [
    `Agents: ${recoverableAgents.join(', ')}; without one: all of them. Only sessions held in this root.`,
    '--session S    only this session, by the agent’s own id',
    '--dry-run      only say what would be recovered',
    'Each change becomes a checkpoint of kind "recovered", in its true place in time. What is there already is left',
    'out: a second import adds nothing. JSON: {sessions: [{agent, session, files, checkpoints}]}, both as counts.',
  ],
  options: { session: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  arguments: { min: 0, max: 1 },
  run(call) {
    const { ports, env } = call.io;
    const [agent] = call.positionals;
    if (agent !== undefined && !recoverableAgents.some((name) => name === agent)) {
      throw new UsageError(
        `There is nothing to recover from ${JSON.stringify(agent.slice(0, 100))}. Agents whose records hold files: ${recoverableAgents.join(', ')}.`,
      );
    }
    const dryRun = call.values['dry-run'] === true;
    const root = call.root();
    if (!dryRun && readSettings(ports).enabled === false) {
      throw new CheckpointError('failed', 'Checkpoints are turned off. Turn on "agentCheckpoints.enabled" in VS Code.');
    }
    const recover = recoveryIn(ports, root);
    const rows: Row[] = [];
    const only = { agent, session: textOption(call, 'session') };
    for (const { session, calls } of recoverableSessions(ports, { env, home: homeOf(env), roots: [root] }, only)) {
      const { checkpoints, known } = recover(calls);
      if (checkpoints.length === 0 && known === 0) continue;
      const made = dryRun ? checkpoints : checkpoints.filter((planned) => writeRecovery(ports, root, planned));
      const files = new Set(made.flatMap((planned) => planned.files.map(({ relative }) => relative)));
      rows.push({
        agent: session.agent,
        session: session.session,
        files: files.size,
        checkpoints: made.length,
        names: [...files].sort(),
        title: session.title ?? '',
        known,
      });
    }
    return {
      json: {
        sessions: rows.map(({ agent: name, session, files, checkpoints }) => ({
          agent: name,
          session,
          files,
          checkpoints,
        })),
      },
      human: () => table(rows, root, dryRun),
    };
  },
};

interface Row {
  readonly agent: string;
  readonly session: string;
  readonly files: number;
  readonly checkpoints: number;
  readonly names: readonly string[];
  readonly title: string;
  readonly known: number;
}

/** Files of a session that a person sees by name. */
const shownNames = 8;

function table(rows: readonly Row[], root: string, dryRun: boolean): string {
  const lines = rows.flatMap(({ agent, session, files, checkpoints, names, title, known }) => [
    `${padEnd(agent, 12)}  ${safeLine(session)}  ${safeLine(title).slice(0, 60)}`.trimEnd(),
    `  ${counted(checkpoints, 'checkpoint')} of ${counted(files, 'file')}${known > 0 ? `, ${known} there already` : ''}`,
    ...names.slice(0, shownNames).map((name) => `    ${safeLine(name)}`),
    ...(names.length > shownNames ? [`    and ${names.length - shownNames} more`] : []),
  ]);
  const total = rows.reduce((sum, { checkpoints }) => sum + checkpoints, 0);
  if (rows.length === 0) return `No past session holds files of ${safeLine(root)}.`;
  const verb = dryRun
    ? 'can be recovered; nothing was written.'
    : 'recovered. `list` shows them in their place in time.';
  return [...lines, '', `${counted(total, 'checkpoint')} ${verb}`].join('\n');
}
