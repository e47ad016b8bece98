// A restore before it runs: the Restore Preview view with the plan and check boxes, beside a diff of all its files.
import * as vscode from 'vscode';
import { pathKey } from '../../core/restore/relativePath';
import type { Decision, Decisions } from '../../core/restore/types';
import type { ContextKeySetter } from '../contextKeys';
import { planView } from '../contributions';
import type { Dialogs } from '../dialogs';
import { debounce, Disposer } from '../disposable';
import { messageOf, type Log } from '../log';
import type { Previews } from '../preview/open';
import { saveAll, type Planned, type Planner, type Request } from '../restore/request';
import type { Timeline } from '../timeline/timeline';
import type { WorkspaceRoots } from '../workspaceRoots';
import { decideItems, type Answer } from './decide';
import { HandMerges } from './handMerge';
import { PlanDiff } from './planDiff';
import { fingerprint, planSentence, rowsOf, type PathRow, type Row } from './rows';
import { PlanTree } from './tree';

const afterChangeMs = 300;

interface Session {
  readonly request: Request;
  readonly foreign: boolean;
  readonly diff: PlanDiff;
  readonly decisions: Map<string, Decision>;
  readonly reasons: Map<string, string>;
  planned: Planned;
  readonly end: (planned: Planned | undefined) => void;
}

export class RestorePreview extends Disposer {
  readonly #tree = new PlanTree();
  readonly #view = this.own(
    vscode.window.createTreeView<Row>(planView, { treeDataProvider: this.#tree, canSelectMany: false }),
  );
  readonly #merges: HandMerges;
  readonly #changed = this.own(debounce(afterChangeMs, () => this.#background(this.#replan())));
  #open: Session | undefined;

  constructor(
    private readonly planner: Planner,
    private readonly previews: Previews,
    private readonly dialogs: Dialogs,
    private readonly contextKeys: ContextKeySetter,
    private readonly log: Log,
    {
      roots,
      timeline,
      ports,
    }: { roots: WorkspaceRoots; timeline: Timeline; ports: ConstructorParameters<typeof HandMerges>[0] },
  ) {
    super();
    this.#merges = this.own(new HandMerges(ports, contextKeys, log));
    this.own(this.#view.onDidChangeCheckboxState(({ items }) => this.#checked(items)));
    this.own(timeline.onDidChange(({ root }) => root === this.#open?.request.root && this.#changed()));
    const touched = ({ uri }: { uri: vscode.Uri }) => {
      if (this.#open && roots.locate(uri)?.root === this.#open.request.root) this.#changed();
    };
    this.own(vscode.workspace.onDidSaveTextDocument(touched));
    this.own(vscode.workspace.onDidChangeTextDocument(({ document }) => touched(document)));
    this.own({ dispose: () => this.#finish(undefined) });
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  get rows(): readonly Row[] {
    return this.#tree.rows;
  }

  /**
   * Shows the plan until the person restores or cancels. Another call cancels the one before.
   * @param first decided in advance for what was changed since
   * @returns the plan of what is checked; undefined where it was cancelled
   */
  async choose(
    request: Request,
    planned: Planned,
    { foreign, first }: { foreign: boolean; first: Decision },
  ): Promise<Planned | undefined> {
    this.#finish(undefined);
    const conflicts = planned.plan.steps.filter(({ action }) => action === 'conflict');
    const decisions = conflicts.map(({ path }): [string, Decision] => [pathKey(path), first]);
    let end: Session['end'] = () => {};
    const ended = new Promise<Planned | undefined>((resolve) => (end = resolve));
    const session: Session = {
      request,
      foreign,
      diff: new PlanDiff(this.previews, request.root, `${nameOf(request)} (now ↔ restored)`),
      decisions: new Map(first === 'refuse' ? [] : decisions),
      reasons: new Map(),
      planned,
      end,
    };
    this.#open = session;
    this.contextKeys.set('agentCheckpoints.previewing', true);
    await this.#replan();
    if (this.#open === session) await this.showAll();
    if (this.#open === session) await this.#focus(this.#tree.rows[0]);
    return ended;
  }

  cancel(): void {
    this.#finish(undefined);
  }

  /** Ends with what is checked, unless something is another now than what the person saw. */
  async run(): Promise<void> {
    const session = this.#open;
    if (!session) return;
    const seen = fingerprint(session.planned.plan);
    await this.#replan();
    if (this.#open !== session) return;
    if (fingerprint(session.planned.plan) !== seen) {
      await this.showAll();
      return void this.dialogs.tell('info', 'Files were changed meanwhile. Look at the plan again, then restore.');
    }
    const chosen = await this.#plan(session, session.decisions);
    if (chosen && this.#open === session) this.#finish(chosen);
  }

  /** Opens the diff of all files that will change, in place of an older one. */
  async showAll(): Promise<void> {
    const session = this.#open;
    if (!session) return;
    const { plan } = session.planned;
    const steps = plan.steps.map((step) =>
      session.decisions.get(pathKey(step.path)) === 'leave' ? { ...step, action: 'keep' as const } : step,
    );
    await session.diff.show({ ...session.planned, plan: { ...plan, steps } });
  }

  /** The diff of one path: what it is now, and what it would be. */
  async compare(row: unknown): Promise<void> {
    const session = this.#open;
    const found = this.#row(row);
    if (!session || !found) return;
    if (found.group !== 'yours' || found.checked) return session.diff.showStep(session.planned, found.index);
    const would = await this.#plan(session, new Map([...session.decisions, [found.key, 'overwrite' as const]]));
    const index = would?.plan.steps.findIndex(({ path }) => pathKey(path) === found.key) ?? -1;
    if (would && index >= 0) await session.diff.showStep(would, index);
  }

  /** Asks what is to become of a path that was changed since, or that has unsaved text. */
  async ask(row: unknown): Promise<void> {
    const session = this.#open;
    const found = this.#row(row);
    if (!session || !found) return;
    if (found.group !== 'yours' && !found.step.inEditor) return this.compare(found);
    const sides = await this.planner.sides(session.request.root, found.step, session.foreign);
    const others = session.planned.plan.steps.filter(({ action }) => action === 'conflict').length;
    const answer = await this.dialogs.pick<Answer>(decideItems(found, sides, others), {
      title: found.path,
      placeHolder: found.words,
      matchOnDescription: true,
    });
    if (!answer || this.#open !== session) return;
    if (answer === 'compare') return this.compare(found);
    if (answer === 'save') return saveAll(session.planned.documents, [found.path]).then(() => this.#replan());
    if (answer === 'keepAll' || answer === 'overwriteAll') {
      const paths = this.#paths().filter(({ group }) => group === 'yours');
      for (const { key } of paths) this.#set(session, key, answer === 'keepAll' ? 'refuse' : 'overwrite');
      return this.#decided(session);
    }
    await this.decide(found, answer);
  }

  async decide(row: unknown, decision: 'refuse' | 'merge' | 'overwrite' | 'leave'): Promise<void> {
    const session = this.#open;
    const found = this.#row(row);
    if (!session || !found) return;
    this.#set(session, found.key, decision);
    await this.#decided(session, found.key);
    const now = this.#row(found);
    if (decision === 'merge' && now && now.step.action === 'conflict') await this.#mergeByHand(session, now);
  }

  /** By the keyboard: checks or unchecks the row that has the focus, and shows it. */
  async toggle(): Promise<void> {
    // Extensions are told of the selection alone.
    await vscode.commands.executeCommand('list.select');
    const session = this.#open;
    const found = this.#row(undefined);
    if (!session || found?.group !== 'change') return;
    this.#set(session, found.key, found.checked ? 'leave' : 'refuse');
    this.#draw(session);
  }

  useMerge(): Promise<void> {
    return this.#merges.use();
  }

  async #mergeByHand(session: Session, { path, key, step }: PathRow): Promise<void> {
    const sides = await this.planner.sides(session.request.root, step, session.foreign);
    this.#set(session, key, 'refuse');
    if (typeof sides === 'string') {
      await this.#replan();
      return void this.dialogs.tell('info', `${path} cannot be merged: ${sides}.`);
    }
    await this.#merges.start(path, sides, (merged) => {
      if (this.#open !== session) return;
      session.decisions.set(key, { merged, over: sides.over });
      this.#background(this.#decided(session, key));
    });
    await this.#replan();
  }

  #set(session: Session, key: string, decision: Decision): void {
    if (decision === 'refuse') session.decisions.delete(key);
    else session.decisions.set(key, decision);
  }

  async #decided(session: Session, key?: string): Promise<void> {
    await this.#replan();
    if (this.#open !== session) return;
    await this.showAll();
    await this.#focus(this.#paths().find((row) => row.key === key));
  }

  #checked(items: readonly (readonly [Row, vscode.TreeItemCheckboxState])[]): void {
    const session = this.#open;
    if (!session) return;
    for (const [row, state] of items) {
      if (row.type !== 'path' || row.group !== 'change') continue;
      this.#set(session, row.key, state === vscode.TreeItemCheckboxState.Checked ? 'refuse' : 'leave');
    }
    this.#draw(session);
  }

  /** What the rows show is planned without leaving anything out. */
  async #replan(): Promise<void> {
    const session = this.#open;
    if (!session) return;
    const decided = new Map([...session.decisions].filter(([, decision]) => decision !== 'leave'));
    const planned = await this.#plan(session, decided);
    if (!planned || this.#open !== session) return;
    session.planned = planned;
    for (const { path, action, reason } of planned.plan.steps) {
      if (action === 'conflict' && !decided.has(pathKey(path))) session.reasons.set(pathKey(path), reason);
    }
    this.#draw(session);
  }

  async #plan(session: Session, decisions: Decisions): Promise<Planned | undefined> {
    const { request, foreign } = session;
    try {
      const planned = await this.planner.plan(request, { onConflict: 'refuse', decisions, foreign });
      return planned === 'foreign' ? undefined : planned;
    } catch (error) {
      // What was to be taken back is gone, or taken back by somebody else.
      if (this.#open === session) this.#finish(undefined);
      throw error;
    }
  }

  #draw(session: Session): void {
    const rows = rowsOf(session.planned.plan, session.decisions, session.reasons);
    this.#view.message = planSentence(nameOf(session.request), rows);
    this.#tree.set(rows);
  }

  #finish(planned: Planned | undefined): void {
    const session = this.#open;
    if (!session) return;
    this.#open = undefined;
    this.contextKeys.set('agentCheckpoints.previewing', false);
    this.#tree.set([]);
    this.#background(session.diff.close());
    this.#background(this.#merges.end());
    session.end(planned);
  }

  async #focus(on: Row | undefined = this.#view.selection[0] ?? this.#tree.rows[0]): Promise<void> {
    await vscode.commands.executeCommand(`${planView}.focus`);
    const row = on && this.#tree.find(on.id);
    if (row) await this.#view.reveal(row, { focus: true, select: true });
  }

  #paths(): PathRow[] {
    return this.#tree.rows
      .flatMap((row) => (row.type === 'group' ? row.rows : []))
      .filter((row) => row.type === 'path');
  }

  /** Commands get anything; called by a key they get nothing, and the selected row is meant. */
  #row(given: unknown): PathRow | undefined {
    const id = typeof given === 'object' && given !== null && 'id' in given ? given.id : this.#view.selection[0]?.id;
    return this.#paths().find((row) => row.id === id);
  }

  #background(work: Promise<unknown>): void {
    work.catch((error) => this.log.error('preview', messageOf(error), error));
  }
}

const nameOf = ({ what }: Request): string => what.replace(/\?$/, '');
