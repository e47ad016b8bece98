// Runs a plan: a path at a time, so that the window stays alive, with what belongs into editors put there.
import type * as vscode from 'vscode';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import { displayPath } from '../../core/restore/relativePath';
import { applyPlan } from '../../core/restore/apply';
import type { EditorReply, RestoreOutcome, RestorePlan } from '../../core/restore/types';
import { encoded, putIntoEditor } from '../editors';
import { withLateProgress } from '../lateProgress';
import type { HostRoot } from '../workspaceRoots';

/**
 * @param documents the editors with unsaved text, by displayed path
 * @throws CheckpointError `cancelled` after everything was put back; else as `applyPlan`
 */
export function runPlan(
  ports: Ports,
  root: HostRoot,
  plan: RestorePlan,
  documents: ReadonlyMap<string, vscode.TextDocument>,
): Promise<RestoreOutcome> {
  return withLateProgress('Restoring', async (running) => {
    const unsaved = new Map<string, Uint8Array>();
    for (const [path, document] of documents) if (document.isDirty) unsaved.set(path, await encoded(document));
    const steps = applyPlan(ports, root.stores, plan, { unsaved, waitMs: 0 });
    for (let step = steps.next(); ;) {
      if (step.done) return step.value;
      let reply: EditorReply | undefined;
      if (step.value.type === 'editor') {
        const document = documents.get(displayPath(step.value.path));
        reply = { applied: document !== undefined && (await putIntoEditor(document, step.value.bytes)) };
      } else {
        running.report(`${step.value.done} of ${step.value.total}`);
      }
      await new Promise(setImmediate);
      step = running.isCancelled
        ? steps.throw(new CheckpointError('cancelled', 'The restore was cancelled.'))
        : steps.next(reply);
    }
  });
}
