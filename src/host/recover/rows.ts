// What can be recovered, as rows to choose from: a heading for each session, a row for each file.
import * as vscode from 'vscode';
import type { PlannedRecovery } from '../../core/capture/recovered';
import type { TranscriptSession } from '../../core/conversation/transcript';
import { withoutIcons, type Pick as PickItem } from '../dialogs';
import { agentName, counted } from '../timeline/words';
import type { HostRoot } from '../workspaceRoots';

export interface FoundSession {
  readonly root: HostRoot;
  readonly session: TranscriptSession;
  readonly checkpoints: readonly PlannedRecovery[];
}

export interface Chosen {
  readonly root: HostRoot;
  readonly checkpoints: readonly PlannedRecovery[];
}

export const rowsOf = (sessions: readonly FoundSession[]): (PickItem<Chosen> | vscode.QuickPickItem)[] =>
  sessions.flatMap((found) => [
    { label: headingOf(found.session), kind: vscode.QuickPickItemKind.Separator },
    ...filesOf(found),
  ]);

function headingOf({ agent, title, session, updatedAt }: TranscriptSession): string {
  const when = new Date(updatedAt).toLocaleString();
  return withoutIcons(`${agentName(agent)} · ${title ?? session} · ${when}`);
}

function filesOf({ root, checkpoints }: FoundSession): PickItem<Chosen>[] {
  const byFile = new Map<string, PlannedRecovery[]>();
  for (const planned of checkpoints) {
    for (const { relative } of planned.files) byFile.set(relative, [...(byFile.get(relative) ?? []), planned]);
  }
  return [...byFile].map(([file, own]) => ({
    label: withoutIcons(file),
    description: counted(own.length, 'earlier state'),
    detail: detailOf(file, own),
    picked: true,
    value: { root, checkpoints: own },
  }));
}

function detailOf(file: string, own: readonly PlannedRecovery[]): string {
  const states = own.flatMap(({ files }) => files.filter(({ relative }) => relative === file));
  const bytes = states.some(({ provenance }) => provenance === 'agent-backup')
    ? 'the agent’s own copy'
    : 'text from the conversation';
  const first = new Date(own[0]!.call.at).toLocaleString();
  return `From ${first} · ${bytes}`;
}
