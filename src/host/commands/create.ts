// Agent: Create Checkpoint. Keeps files as they are now, for the person to come back to.
import * as vscode from 'vscode';
import { createObserver } from '../../core/capture/observer';
import { CheckpointError } from '../../core/errors';
import { listPage } from '../../core/store/reader';
import { ownSetting, type Handlers } from '../contributions';
import { encodedText } from '../editors';
import type { Services } from '../services';
import { entryOf, groupTurns } from '../timeline/turns';
import { counted } from '../timeline/words';

/** Checkpoints whose files are kept. */
const readAtMost = 1000;

export function createCommands(services: Services): Pick<Handlers, 'agentCheckpoints.createCheckpoint'> {
  const { ports, roots, dialogs, timeline } = services;
  return { 'agentCheckpoints.createCheckpoint': createCheckpoint };

  async function createCheckpoint(): Promise<void> {
    const problem = problemNow();
    if (problem !== undefined) return void (await dialogs.tell('info', problem));
    const files = filesToKeep();
    if (files.length === 0) {
      const text = 'There is nothing to keep yet: open the files you want to come back to, then create the checkpoint.';
      return void (await dialogs.tell('info', text));
    }
    const label = await dialogs.ask({
      title: 'Create Checkpoint',
      prompt: `Keeps ${counted(files.length, 'file')} as now: those that agents have changed, and those open in editors.`,
      placeHolder: 'A name to find it by',
    });
    if (label === undefined) return;
    const writes = await Promise.all(
      files.map(async (uri) => {
        const unsaved = await encodedText(uri);
        return { path: uri.fsPath, ...(unsaved && { unsaved }) };
      }),
    );
    const { checkpoints } = createObserver(ports).beforeWrite({
      kind: 'manual',
      cwd: roots.all[0]!.path,
      writes,
      ...(label.trim() !== '' && { label: label.trim() }),
    });
    if (checkpoints.length === 0)
      throw new CheckpointError('failed', 'No checkpoint was made: nothing could be stored.');
    timeline.refreshAll();
    await dialogs.tell('info', `Kept ${counted(files.length, 'file')} in a checkpoint.`);
  }

  function problemNow(): string | undefined {
    if (roots.all.length === 0) return 'Checkpoints belong to a folder. Open one first.';
    const isOff = ownSetting(vscode.workspace, 'agentCheckpoints.enabled') === false;
    return isOff ? 'Checkpoints are turned off. Turn on "agentCheckpoints.enabled" in the settings first.' : undefined;
  }

  function filesToKeep(): vscode.Uri[] {
    const open = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .map(({ input }) =>
        input instanceof vscode.TabInputText || input instanceof vscode.TabInputNotebook ? input.uri : undefined,
      );
    const touched = roots.all.flatMap((root) =>
      groupTurns(listPage(ports, root.stores, { limit: readAtMost }).checkpoints, root.prefix)
        .flatMap(({ files }) => files)
        .map(({ edits }) => roots.fileUri(root, entryOf(edits[0]!).path)),
    );
    const all = [...open, ...touched].filter((uri) => uri !== undefined && roots.locate(uri) && isFile(uri));
    return [...new Map(all.map((uri) => [uri!.toString(), uri!])).values()];
  }

  function isFile(uri: vscode.Uri): boolean {
    return ports.fs.statSync(uri.fsPath, { throwIfNoEntry: false })?.isFile() ?? false;
  }
}
