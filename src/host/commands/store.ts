// Care of the store.
import * as vscode from 'vscode';
import { doctorSteps, type Diagnosis } from '../../core/store/doctor';
import type { RootStores } from '../../core/store/stores';
import type { Handlers } from '../contributions';
import type { Services } from '../services';
import { counted } from '../timeline/words';
import { wereDeleted } from '../observe/vanished';

export function storeCommands({
  ports,
  roots,
  dialogs,
  log,
  timeline,
  vanished,
}: Services): Pick<Handlers, 'agentCheckpoints.verifyStore'> {
  return {
    'agentCheckpoints.verifyStore': async () => {
      if (roots.all.length === 0)
        return void (await dialogs.tell('info', 'Checkpoints belong to a folder. Open one first.'));
      const results = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: 'Verifying checkpoints', cancellable: true },
        async (progress, cancel) => {
          const diagnoses: Diagnosis[] = [];
          for (const root of roots.all) diagnoses.push(await verify(root.stores, progress, cancel));
          return diagnoses;
        },
      );
      timeline.refreshAll();
      const checked = results.reduce((sum, each) => sum + each.checkpoints, 0);
      const swept = results.reduce((sum, each) => sum + each.swept, 0);
      const damaged = results.flatMap((each) => each.damaged);
      for (const { id, path, reason } of damaged)
        log.warn('verify', `${id}${path === undefined ? '' : ` ${path}`}: ${reason}`);
      const incomplete = roots.all.filter((root) => vanished.countOf(root) > 0);
      const gone = incomplete.reduce((sum, root) => sum + vanished.countOf(root), 0);
      const goneText = gone > 0 ? ` ${wereDeleted(gone)}, but a second copy is still there.` : '';
      const putBack = gone > 0 ? ['Put Back'] : [];
      const sweptText = swept > 0 ? ` ${counted(swept, 'leftover')} removed.` : '';
      if (damaged.length === 0) {
        const text = `${counted(checked, 'checkpoint')} verified, every stored byte is as it was captured.${sweptText}${goneText}`;
        if ((await dialogs.tell('info', text, putBack)) !== undefined) await vanished.putBack(incomplete);
        return;
      }
      const text = `${counted(checked, 'checkpoint')} verified, ${counted(damaged.length, 'problem')} found. What is damaged is never restored; the rest can be.${sweptText}${goneText}`;
      const action = await dialogs.tell('warning', text, [...putBack, 'Show Log']);
      if (action === 'Put Back') await vanished.putBack(incomplete);
      if (action === 'Show Log') log.show();
    },
  };

  async function verify(
    stores: RootStores,
    progress: vscode.Progress<{ message?: string; increment?: number }>,
    cancel: vscode.CancellationToken,
  ): Promise<Diagnosis> {
    const steps = doctorSteps(ports, stores);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
      const { checked, total } = step.value;
      progress.report({ message: `${checked} of ${total}`, increment: 100 / total });
      await new Promise(setImmediate);
      if (cancel.isCancellationRequested) throw new vscode.CancellationError();
    }
  }
}
