// Agent: Set Up Agents…
import path from 'node:path';
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { refreshHookProgram } from '../../agents/hookProgram';
import type { ConfigChange } from '../../agents/target';
import type { Handlers } from '../contributions';
import type { Pick as PickItem } from '../dialogs';
import { messageOf } from '../log';
import { agentRegistry } from '../onDemand';
import type { Services } from '../services';
import { agentName, counted } from '../timeline/words';
import { requireTrust } from '../trust';
import type { ChangePreview } from './changePreview';
import { isAnyInstalled, setUpChoices, type SetUpChoice } from './places';

interface Change {
  readonly choice: SetUpChoice;
  readonly add: boolean;
  readonly files: readonly ConfigChange[];
}

export function setUpCommands(
  services: Services,
  preview: ChangePreview,
): Pick<Handlers, 'agentCheckpoints.setUpAgents'> {
  const { ports, dialogs, roots, log, contextKeys } = services;
  return { 'agentCheckpoints.setUpAgents': setUpAgents };

  async function setUpAgents(): Promise<void> {
    if (!(await requireTrust(dialogs, 'Setting up agents'))) return;
    const choices = await setUpChoices(ports, roots);
    const chosen = await dialogs.pickMany(rows(choices), {
      title: 'Set Up Agents',
      placeHolder: 'Which agents to set up. Nothing is written yet.',
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (!chosen) return;
    const changes = await plan(choices, new Set(chosen));
    const files = changes.flatMap((change) => change.files);
    if (files.length > 0) {
      await preview.show(files);
      const go = await dialogs.pick(decision(changes), {
        title: 'Write these changes?',
        placeHolder: 'The editor shows what will be written',
        ignoreFocusOut: true,
      });
      await preview.close();
      if (!go) return;
    }
    await apply(changes, chosen.length > 0);
  }

  async function plan(choices: readonly SetUpChoice[], chosen: ReadonlySet<SetUpChoice>): Promise<Change[]> {
    const { install, uninstall } = agentRegistry();
    return choices.flatMap((choice): Change[] => {
      const { agent, scope, place, status } = choice;
      const add = chosen.has(choice);
      if (add ? status.installed && status.complete : !status.installed) return [];
      const options = { ...place, scope, dryRun: true };
      return [{ choice, add, files: (add ? install : uninstall)(ports, agent, options).changed }];
    });
  }

  async function apply(changes: readonly Change[], any: boolean): Promise<void> {
    const { install, uninstall } = agentRegistry();
    const needs: string[] = [];
    const failed: string[] = [];
    if (any) refreshProgram(services);
    for (const { choice, add } of changes) {
      const { agent, scope, place } = choice;
      try {
        const result = (add ? install : uninstall)(ports, agent, { ...place, scope });
        for (const { file } of result.changed) log.info('set-up', `${add ? 'Set up' : 'Removed'} ${agent}: ${file}`);
        if (add && result.needs) needs.push(result.needs);
      } catch (error) {
        log.error('set-up', `${agent} (${scope})`, error);
        failed.push(`${agentName(agent)}: ${messageOf(error)}`);
      }
    }
    const installed = await isAnyInstalled(ports, roots);
    contextKeys.set('agentCheckpoints.agentsInstalled', installed);
    if (installed || changes.length > 0) await setEnabled(installed);
    if (failed.length > 0) await dialogs.tell('error', failed.join(' '), []);
    else if (installed)
      await dialogs.tell(
        'info',
        ['Agents are set up. Their next change appears under Checkpoints.', ...new Set(needs)].join(' '),
      );
    else
      await dialogs.tell(
        'info',
        'No agent is set up. Nothing is captured; what is stored already can still be restored.',
      );
  }
}

/** Removing the last agent goes back to the default, which is off. */
async function setEnabled(installed: boolean): Promise<void> {
  const { Global } = vscode.ConfigurationTarget;
  await vscode.workspace.getConfiguration().update('agentCheckpoints.enabled', installed ? true : undefined, Global);
}

function rows(choices: readonly SetUpChoice[]): (PickItem<SetUpChoice> | vscode.QuickPickItem)[] {
  const isFirst = !choices.some(({ status }) => status.installed);
  const row = (choice: SetUpChoice): PickItem<SetUpChoice> => {
    const { agent, scope, place, folder, status, found } = choice;
    const state = status.installed
      ? status.complete
        ? 'set up'
        : 'set up by an older version'
      : found
        ? 'found'
        : 'not found on this machine';
    return {
      label: agent === 'vscode' ? 'VS Code agent mode' : agentName(agent),
      description: state,
      detail:
        status.problem ??
        (folder ? path.join(folder.name, path.relative(place.root, status.file)) : shortened(status.file)),
      picked: status.installed || (isFirst && scope === 'user' && found),
      value: choice,
    };
  };
  const separator = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const own = choices.filter(({ scope }) => scope === 'user');
  const shared = choices.filter(({ scope }) => scope === 'project');
  return [
    separator('For you, in every folder'),
    ...own.map(row),
    ...(shared.length > 0 ? [separator('In this project, for everybody who works on it'), ...shared.map(row)] : []),
  ];
}

function decision(changes: readonly Change[]): PickItem<true>[] {
  const files = new Set(changes.flatMap((change) => change.files.map(({ file }) => shortened(file))));
  return [
    {
      label: `$(check) Write ${counted(files.size, 'file')}`,
      detail: [...files].join(', '),
      value: true,
    },
  ];
}

const shortened = (file: string) => {
  const home = homedir();
  return file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file;
};

/** Puts the program that agents call in its place, of this version of the extension. */
export function refreshProgram({ ports, extensionPath }: Pick<Services, 'ports' | 'extensionPath'>): string[] {
  return refreshHookProgram(ports, {
    cliSource: path.join(extensionPath, 'dist', 'cli.js'),
    node: { path: process.execPath, runAsNode: 'electron' in process.versions },
  });
}
