// install, uninstall: the hooks in an agent's own configuration.
import path from 'node:path';
import { refreshHookProgram } from '../../agents/hookProgram';
import { scopes, type InstallResult, type Place } from '../../agents/installer';
import * as registry from '../../agents/registry';
import type { ConfigChange } from '../../agents/target';
import { unifiedPatch } from '../../core/diff/patch';
import { readSettings } from '../../core/state/settings';
import { homeOf } from '../../tools/home';
import { safeLine, safeLines } from './screen';
import { choiceOption, flag, type Verb, type VerbCall, type VerbResult } from './verb';

const scopeChoices = scopes;

export const install: Verb = {
  name: 'install',
  usage: '<agent> [--scope user|project] [--dry-run]',
  summary: 'set an agent up: its configuration, and the program that it calls',
  details: [
    `Agents: ${registry.installableAgents.join(', ')}.`,
    '--scope S    user (default): for you, in every project; project: for everyone in this project',
    '--dry-run    only show the change',
    'JSON: {agent, scope, changed: [file], needs?}.',
  ],
  options: { scope: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  arguments: { min: 1, max: 1 },
  run(call) {
    const agent = call.positionals[0]!;
    const scope = choiceOption(call, 'scope', scopeChoices) ?? 'user';
    const dryRun = flag(call, 'dry-run');
    const options = { ...placeOf(call), scope, dryRun };
    // First without writing: what cannot be set up must not leave a part behind.
    registry.install(call.io.ports, agent, { ...options, dryRun: true });
    if (!dryRun && call.io.program !== undefined) refreshHookProgram(call.io.ports, call.io.program);
    const result = registry.install(call.io.ports, agent, options);
    if (readSettings(call.io.ports).enabled === false) {
      call.say('Capturing is turned off: turn on "agentCheckpoints.enabled" in VS Code, or the hooks do nothing.');
    }
    return answer(call, agent, scope, result);
  },
};

export const uninstall: Verb = {
  name: 'uninstall',
  usage: '<agent> [--scope user|project] [--dry-run]',
  summary: "take an agent's set-up back",
  details: [
    `Agents: ${registry.installableAgents.join(', ')}.`,
    '--scope S    only this one; otherwise all',
    '--dry-run    only show the change',
    'The history stays. JSON: {agent, scope, changed: [file]}; scope is "all" where none was named.',
  ],
  options: { scope: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  arguments: { min: 1, max: 1 },
  run(call) {
    const agent = call.positionals[0]!;
    const scope = choiceOption(call, 'scope', scopeChoices);
    const options = { ...placeOf(call), dryRun: flag(call, 'dry-run'), ...(scope === undefined ? {} : { scope }) };
    return answer(call, agent, scope ?? 'all', registry.uninstall(call.io.ports, agent, options));
  },
};

export const placeOf = (call: VerbCall): Place => ({ root: call.root(), home: homeOf(call.io.env), env: call.io.env });

function answer(call: VerbCall, agent: string, scope: string, { changed, needs }: InstallResult): VerbResult {
  const files = changed.map(({ file }) => file);
  return {
    json: { agent, scope, changed: files, ...(needs === undefined ? {} : { needs }) },
    human: () =>
      [
        ...changed.map(changeText),
        summary(agent, changed, flag(call, 'dry-run')),
        ...(needs === undefined ? [] : [`Still to do: ${safeLine(needs)}`]),
      ].join('\n'),
  };
}

function changeText({ file, before, after }: ConfigChange): string {
  const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));
  const patch = unifiedPatch(file.split(path.sep).join('/').replace(/^\//, ''), bytes(before), bytes(after));
  return `${safeLine(file)}\n${safeLines(patch ?? '(too large to show)')}`;
}

function summary(agent: string, changed: readonly ConfigChange[], dryRun: boolean): string {
  if (changed.length === 0) return `${safeLine(agent)}: nothing to change.`;
  return dryRun ? 'Dry run: nothing was changed.' : `${safeLine(agent)}: done.`;
}
