// From "take this back" to files that are as they were: plan, one confirmation in plain words, run, tell.
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import { displayPath } from '../../core/restore/relativePath';
import type { OnConflict, PlanStep, RestoreOutcome, RestorePlan, RestoreTarget } from '../../core/restore/types';
import { parseCheckpointId } from '../../core/store/ids';
import type { Dialogs } from '../dialogs';
import { encoded } from '../editors';
import type { Log } from '../log';
import type { RestorePreview } from '../restorePreview/preview';
import type { Timeline } from '../timeline/timeline';
import { requireTrust } from '../trust';
import type { HostRoot, WorkspaceRoots } from '../workspaceRoots';
import { actsOn, fileCount, nothingText, outcomeText, planDetail, summaryOf } from './planText';
import { saveAll, type Planner, type Request } from './request';

type Choice = 'restore' | 'overwrite' | 'merge' | 'save' | 'skip' | 'preview';

export class RestoreFlow {
  /** Counts questions: a newer one makes an older one, whose message may still be around, void. */
  #question = 0;
  #running = false;

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly timeline: Timeline,
    private readonly planner: Planner,
    private readonly preview: RestorePreview,
    private readonly dialogs: Dialogs,
    private readonly log: Log,
  ) {}

  /** Takes back what the target names. `what` names it in words. */
  run(root: HostRoot, target: RestoreTarget, what: string): Promise<void> {
    return this.#perform({
      root,
      what: `Undo ${what}?`,
      make: (restore, options) => restore.planRestore(this.ports, root.path, target, options),
    });
  }

  /** Takes back one hunk. What the plan cannot do is told, not asked. */
  hunk(root: HostRoot, target: RestoreTarget, what: string): Promise<void> {
    const make: Request['make'] = (restore, options) => restore.planRestore(this.ports, root.path, target, options);
    return this.#perform({ root, what: `Undo ${what}?`, make, small: true }, true);
  }

  undo(root: HostRoot): Promise<void> {
    return this.#perform({
      root,
      what: 'Undo the last turn?',
      make: (restore, options) => restore.planUndo(this.ports, root.path, options),
    });
  }

  redo(root: HostRoot): Promise<void> {
    return this.#perform({
      root,
      what: 'Redo what was undone last?',
      make: (restore, options) => restore.planRedo(this.ports, root.path, options),
    });
  }

  async #perform(request: Request, confirmed = false): Promise<void> {
    if (!(await requireTrust(this.dialogs, 'Restoring'))) return;
    if (this.#running) return void (await this.dialogs.tell('info', 'A restore is running already.'));
    const question = ++this.#question;
    try {
      await this.#decide(request, confirmed, () => question !== this.#question || this.#running);
    } catch (error) {
      if (CheckpointError.is(error, 'cancelled'))
        await this.dialogs.tell('info', 'Cancelled. Everything is as it was.');
      else throw error;
    } finally {
      this.timeline.refresh(request.root);
    }
  }

  async #decide(request: Request, confirmed: boolean, isVoid: () => boolean): Promise<void> {
    let onConflict: OnConflict = 'refuse';
    let foreign = false;
    for (;;) {
      const planned = await this.planner.plan(request, { onConflict, foreign });
      if (planned === 'foreign') {
        if (!(await this.#confirmForeign())) return;
        foreign = true;
        continue;
      }
      const { plan, documents } = planned;
      if (await this.#saveWhatIsOnlyTheAgents(plan, documents)) continue;
      const { acting, conflicts } = summaryOf(plan);
      if (acting.length === 0 && (conflicts.length === 0 || request.small))
        return void (await this.dialogs.tell('info', nothingText(plan)));
      // What cannot be merged by itself is merged by the person.
      if (onConflict === 'merge' && conflicts.length > 0) return this.#choose(request, foreign, 'merge', isVoid);
      const inEditor = !request.small && acting.some((step) => step.inEditor);
      const unasked = confirmed && conflicts.length === 0 && !inEditor;
      const decided: boolean = unasked || onConflict === 'overwrite';
      const choice: Choice | undefined = decided ? 'restore' : await this.#ask(request, plan);
      if (isVoid()) return;
      switch (choice) {
        case undefined:
          return;
        case 'restore':
        case 'skip': {
          const steps = plan.steps.filter(({ inEditor }) => choice === 'restore' || !inEditor);
          if (await this.#execute(request, { ...plan, steps }, documents)) return;
          onConflict = 'refuse';
          continue;
        }
        case 'save':
          await saveAll(
            documents,
            plan.steps.filter(({ inEditor }) => inEditor).map(({ path }) => displayPath(path)),
          );
          continue;
        case 'overwrite':
        case 'merge':
          onConflict = choice;
          continue;
        case 'preview':
          return this.#choose(request, foreign, onConflict, isVoid);
      }
    }
  }

  /** The person looks at the plan, leaves paths out and decides about others; what is chosen runs without a question. */
  async #choose(request: Request, foreign: boolean, first: OnConflict, isVoid: () => boolean): Promise<void> {
    for (;;) {
      const planned = await this.planner.plan(request, { onConflict: 'refuse', foreign });
      if (planned === 'foreign') return;
      const chosen = await this.preview.choose(request, planned, { foreign, first });
      if (!chosen || isVoid()) return;
      if (await this.#execute(request, chosen.plan, chosen.documents)) return;
    }
  }

  async #confirmForeign(): Promise<boolean> {
    const answer = await this.dialogs.confirm(
      'Restore from a checkpoint that was not made on this machine?',
      'It came with the folder, or was copied from elsewhere, and may hold anything. Preview the changes first if you do not know where it is from.',
      ['Continue'],
    );
    return answer === 'Continue';
  }

  /** The one confirmation. */
  async #ask({ what }: Request, plan: RestorePlan): Promise<Choice | undefined> {
    const { acting, conflicts } = summaryOf(plan);
    const unsaved = acting.filter(({ inEditor }) => inEditor);
    const others = fileCount(acting) === 1 ? 'File' : `${fileCount(acting)} Files`;
    const go = conflicts.length > 0 ? `Restore the Other ${others}` : 'Restore';
    const choices = new Map<string, Choice>();
    if (acting.length > 0) choices.set(go, 'restore');
    if (unsaved.length > 0) {
      choices.set('Save First', 'save');
      if (acting.length > unsaved.length) choices.set('Skip Unsaved Files', 'skip');
    }
    if (conflicts.some(({ inEditor }) => inEditor)) choices.set('Save First', 'save');
    if (conflicts.length > 0) {
      choices.set('Merge', 'merge');
      choices.set('Overwrite (Keeps a Guard)', 'overwrite');
    }
    choices.set(conflicts.length > 0 ? 'Decide for Each…' : 'Preview and Choose…', 'preview');
    const answer = await this.dialogs.confirm(what, planDetail(plan), [...choices.keys()]);
    return answer === undefined ? undefined : choices.get(answer);
  }

  /**
   * An editor whose unsaved text is exactly what the agent left there holds nothing of the person's. If its file is to
   * be removed it is saved first, so that the file can go like any other.
   */
  async #saveWhatIsOnlyTheAgents(
    plan: RestorePlan,
    documents: ReadonlyMap<string, vscode.TextDocument>,
  ): Promise<boolean> {
    let saved = false;
    for (const step of plan.steps) {
      const document = documents.get(displayPath(step.path));
      if (!document || step.action !== 'conflict' || !step.inEditor || !step.takes.length) continue;
      const sha256 = createHash('sha256')
        .update(await encoded(document))
        .digest('hex');
      if (!this.#isLeftByAgent(plan.root, step, sha256)) continue;
      await vscode.window.showTextDocument(document, { preserveFocus: false, preview: false });
      await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
      saved ||= !document.isDirty;
    }
    return saved;
  }

  #isLeftByAgent(rootPath: string, step: PlanStep, sha256: string): boolean {
    const root = this.roots.byPath(rootPath);
    const taken = new Set(step.takes.map(({ id, entry }) => `${id}:${entry}`));
    const posts = (root ? this.timeline.get(root).turns : [])
      .flatMap(({ checkpoints }) => checkpoints)
      .flatMap(({ id, entries }) => entries.filter((_, index) => taken.has(`${id}:${index}`)))
      .map(({ post }) => post);
    return posts.some((post) => post?.type === 'file' && post.sha256 === sha256);
  }

  /** False where another restore came first: what was asked is out of date. */
  async #execute(
    request: Request,
    plan: RestorePlan,
    documents: ReadonlyMap<string, vscode.TextDocument>,
  ): Promise<boolean> {
    const { root } = request;
    this.#running = true;
    let outcome: RestoreOutcome;
    try {
      const { runPlan } = await import('./run');
      outcome = await runPlan(this.ports, root, plan, documents);
    } catch (error) {
      if (CheckpointError.is(error, 'changed-meanwhile')) return false;
      throw error;
    } finally {
      this.#running = false;
    }
    this.log.info('restore', `${plan.label}: ${JSON.stringify(outcome)}`);
    const removed = plan.steps.filter((step) => actsOn(step) && step.result.type === 'absent');
    await closeRemoved(removed.map(({ path }) => this.roots.fileUri(root, path)));
    // Not awaited: the message stays until the person takes it away.
    this.#tell(request, outcomeText(outcome), outcome.guard).catch((error) => this.log.error('restore', 'Undo', error));
    return true;
  }

  async #tell({ root }: Request, text: string, guard: string | null): Promise<void> {
    const action = await this.dialogs.tell('info', text, guard === null ? [] : ['Undo']);
    if (action !== 'Undo' || guard === null) return;
    const target: RestoreTarget = { mode: 'checkpoint', id: parseCheckpointId(guard) };
    const make: Request['make'] = (restore, options) => restore.planRestore(this.ports, root.path, target, options);
    await this.#perform({ root, what: 'Undo the restore?', make }, true);
  }
}

/** Editors of files that are gone, as the Explorer does it. */
async function closeRemoved(uris: readonly (vscode.Uri | undefined)[]): Promise<void> {
  const removed = new Set(uris.map((uri) => uri?.toString()));
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(
      ({ input, isDirty }) => !isDirty && input instanceof vscode.TabInputText && removed.has(input.uri.toString()),
    );
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
