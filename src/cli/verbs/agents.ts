// agents: which are found, set up, and last seen.
import { agentsStatus, type AgentRow } from '../../agents/registry';
import { markWarningShown, readWarnings } from '../../core/state/warnings';
import { placeOf } from './install';
import { localTime, padEnd, safeLine, safeLines, styleFor, textWidth, type Style } from './screen';
import type { Verb } from './verb';

export const agents: Verb = {
  name: 'agents',
  usage: '',
  summary: 'which agents are found, set up, and last seen',
  details: [
    'Warnings that were kept while no one was looking are shown once.',
    'JSON: {agents: [{name, found, installed, scope?, lastSeen?, needs?}], warnings: [text]}.',
  ],
  options: {},
  run(call) {
    const { ports, stdout, env } = call.io;
    const rows = agentsStatus(ports, placeOf(call));
    const warnings = readWarnings(ports).filter(({ shown }) => !shown);
    for (const { key } of warnings) markWarningShown(ports, key);
    return {
      json: { agents: rows, warnings: warnings.map(({ text }) => text) },
      human: () => {
        const style = styleFor(stdout, env);
        const told = warnings.map(({ at, text }) => style('yellow', `${localTime(at)}  ${safeLines(text)}`));
        return [...table(rows, style), ...(told.length === 0 ? [] : ['', ...told])].join('\n');
      },
    };
  },
};

function table(rows: readonly AgentRow[], style: Style): string[] {
  const width = Math.max(...rows.map(({ name }) => textWidth(name)));
  return rows.map((row) => {
    const state = row.installed
      ? style('green', `set up (${row.scope})`)
      : row.found
        ? 'found, not set up'
        : 'not found';
    const seen =
      row.lastSeen === undefined ? (row.installed ? ['never seen yet'] : []) : [`seen ${localTime(row.lastSeen)}`];
    const needs = row.needs === undefined ? [] : [style('yellow', safeLine(row.needs))];
    return [padEnd(row.name, width), state, ...seen, ...needs].join('  ');
  });
}
