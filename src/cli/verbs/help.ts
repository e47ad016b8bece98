// --help: what there is, and how a verb is called.
import type { Verb } from './verb';

const common = [
  '--root DIR     the workspace folder (default: the nearest folder upward that has a store)',
  '--json         one JSON document on stdout',
  '--help         this text',
];

export function generalHelp(verbs: readonly Verb[]): string {
  const width = Math.max(...verbs.map(({ name }) => name.length)) + 2;
  return [
    'Agent Checkpoints: timeline-style undo for coding agents.',
    '',
    'Usage: agent-checkpoints <verb> [options]',
    '',
    ...[...verbs.map(({ name, summary }) => [name, summary] as const), hookLine].map(
      ([name, summary]) => `  ${name.padEnd(width)}${summary}`,
    ),
    '',
    'Options of every verb:',
    ...common.map((line) => `  ${line}`),
    '',
    'Exit codes: 0 done, 1 failed or a path refused, 2 wrong usage, 3 conflicts left.',
    'More on a verb: agent-checkpoints <verb> --help',
  ].join('\n');
}

const hookLine = ['hook', "what agents call before and after their tools; not for a person's use"] as const;

export const verbHelp = (verb: Verb): string =>
  [
    `Usage: agent-checkpoints ${[verb.name, verb.usage].filter(Boolean).join(' ')} [options]`,
    '',
    `${verb.summary[0]!.toUpperCase()}${verb.summary.slice(1)}.`,
    '',
    ...verb.details.map((line) => `  ${line}`),
    '',
    'Options of every verb:',
    ...common.map((line) => `  ${line}`),
  ].join('\n');
