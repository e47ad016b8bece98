// Agent: Recover From Past Sessions… What agents' own records hold of this folder's files becomes checkpoints.
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { writeRecovery } from '../../core/capture/recovered';
import { ownSetting, type Handlers } from '../contributions';
import { withLateProgress, type Running } from '../lateProgress';
import type { Services } from '../services';
import { counted } from '../timeline/words';
import { requireTrust } from '../trust';
import { rowsOf, type Chosen, type FoundSession } from './rows';

export function recoverCommands(services: Services): Pick<Handlers, 'agentCheckpoints.recoverPastSessions'> {
  const { ports, roots, dialogs, timeline } = services;
  return { 'agentCheckpoints.recoverPastSessions': recoverPastSessions };

  async function recoverPastSessions(): Promise<void> {
    if (!(await requireTrust(dialogs, 'Recovering'))) return;
    const problem = problemNow();
    if (problem !== undefined) return void (await dialogs.tell('info', problem));
    const { sessions, known } = await withLateProgress('Looking through agents’ own records', look);
    if (sessions.length === 0) {
      const text = known
        ? 'All that agents’ own records hold of this folder is in the view already.'
        : 'The records that agents keep on this computer hold no earlier states of files in this folder.';
      return void (await dialogs.tell('info', text));
    }
    const chosen = await dialogs.pickMany(rowsOf(sessions), {
      title: 'Recover From Past Sessions',
      placeHolder: 'Which files to recover. Nothing is written yet, and no file of yours is changed.',
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (chosen === undefined || chosen.length === 0) return;
    const count = await withLateProgress('Recovering', (running) => write(chosen, running));
    timeline.refreshAll();
    await dialogs.tell(
      'info',
      `Recovered ${counted(count, 'checkpoint')}. They stand in the view where they belong in time.`,
    );
  }

  function problemNow(): string | undefined {
    if (roots.all.length === 0) return 'Checkpoints belong to a folder. Open one first.';
    const isOff = ownSetting(vscode.workspace, 'agentCheckpoints.enabled') === false;
    return isOff ? 'Checkpoints are turned off. Turn on "agentCheckpoints.enabled" in the settings first.' : undefined;
  }

  async function look(running: Running): Promise<{ sessions: FoundSession[]; known: boolean }> {
    // Only who asks for it pays for loading all readers.
    const [{ recoverableSessions }, { recoveryIn }] = await Promise.all([
      import('../../agents/recovery'),
      import('../../core/capture/recovered'),
    ]);
    const places = {
      env: process.env,
      home: process.env['HOME'] || homedir(),
      roots: roots.all.map(({ path }) => path),
    };
    const inRoots = roots.all.map((root) => ({ root, recover: recoveryIn(ports, root.path) }));
    const sessions: FoundSession[] = [];
    let known = false;
    for (const { session, calls } of recoverableSessions(ports, places)) {
      if (running.isCancelled) throw new vscode.CancellationError();
      running.report(`${sessions.length} found`);
      for (const { root, recover } of inRoots) {
        const found = recover(calls);
        known ||= found.known > 0;
        if (found.checkpoints.length > 0) sessions.push({ root, session, checkpoints: found.checkpoints });
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { sessions: sessions.reverse(), known };
  }

  /** A checkpoint is written whole when one of its files was chosen. */
  async function write(chosen: readonly Chosen[], running: Running): Promise<number> {
    const wanted = new Map(chosen.flatMap(({ root, checkpoints }) => checkpoints.map((one) => [one, root] as const)));
    let count = 0;
    for (const [planned, root] of [...wanted].sort(([a], [b]) => (a.id < b.id ? -1 : 1))) {
      if (running.isCancelled) break;
      running.report(`${count} of ${wanted.size}`);
      if (writeRecovery(ports, root.path, planned)) count++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return count;
  }
}
