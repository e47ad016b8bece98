// The peek: an agent's changes marked in the editor of the file itself, each with its buttons.
//
// Of what VS Code offers for it, this is the combination that works in every folder and takes nothing else over. A
// comment thread opens the Comments panel, a quick diff needs a repository of its own in the Source Control view, and
// decorations can show no lines that are not there: these are behind the line, in a hover, and in a peek view.
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import type { ContextKeySetter } from '../contextKeys';
import { debounce, Disposer } from '../disposable';
import { messageOf, type Log } from '../log';
import { caughtUp } from '../editors';
import type { Previews } from '../preview/open';
import type { RestoreFlow } from '../restore/flow';
import type { Timeline } from '../timeline/timeline';
import { entryOf } from '../timeline/turns';
import { relativeTime, turnOrigin, turnTime, turnTitle } from '../timeline/words';
import type { WorkspaceRoots } from '../workspaceRoots';
import { hunkAt, standingIn, type StandingHunk } from './hunkText';
import { Lenses } from './lenses';
import { Marks } from './marks';
import { loadSubject, maxTextLength, restoreTarget, type PeekSubject, type PeekTarget } from './subject';
import { positionText } from './words';

const afterTypingMs = 60;
const statusMs = 8000;

interface Open {
  readonly target: PeekTarget;
  readonly document: vscode.TextDocument;
  subject: PeekSubject;
  hunks: readonly StandingHunk[];
  /** Lives as long as this peek. */
  readonly parts: vscode.Disposable;
  readonly marks: Marks;
}

export class Peek extends Disposer {
  readonly #changed = this.own(new vscode.EventEmitter<void>());
  readonly onDidChange = this.#changed.event;
  readonly #typed = this.own(debounce(afterTypingMs, () => this.#find()));
  readonly #recorded = this.own(debounce(afterTypingMs, () => void this.#reload()));
  #open: Open | undefined;
  /** The message in the status bar. */
  #said: vscode.Disposable | undefined;

  constructor(
    private readonly ports: Ports,
    private readonly roots: WorkspaceRoots,
    private readonly timeline: Timeline,
    private readonly previews: Previews,
    private readonly restore: RestoreFlow,
    private readonly contextKeys: ContextKeySetter,
    private readonly log: Log,
  ) {
    super();
    this.own({ dispose: () => this.close() });
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** What is marked now, for who looks from outside. */
  get current(): { readonly target: PeekTarget; readonly hunks: readonly StandingHunk[] } | undefined {
    return this.#open;
  }

  /**
   * Opens the file at the first change that still stands. What cannot be shown in the file opens as a diff.
   * @returns whether the file shows it
   */
  async open(target: PeekTarget): Promise<boolean> {
    const found = await this.#prepare(target);
    if (found === undefined || found.hunks.length === 0) {
      await this.previews.openFile(target.root, target.file, target.of === 'turn' ? 'turn' : 'edit');
      if (found) this.#say(`Nothing of “${turnTitle(target.turn)}” is left in this file.`);
      return false;
    }
    this.close();
    const { document, subject, hunks } = found;
    const editor = await vscode.window.showTextDocument(document, { preview: true });
    const marks = new Marks();
    const { target: shown } = found;
    const lenses = new Lenses({
      onDidChange: this.onDidChange,
      hunksIn: (asked) => (this.#open?.document === asked ? this.#open.hunks : []),
      title: turnTitle(shown.turn),
    });
    const parts = vscode.Disposable.from(
      marks,
      vscode.languages.registerCodeLensProvider({ scheme: document.uri.scheme, pattern: '**' }, lenses),
      vscode.workspace.onDidChangeTextDocument((event) => event.document === document && this.#typed()),
      vscode.workspace.onDidCloseTextDocument((closed) => closed === document && this.close()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#mark()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#setKey()),
      vscode.workspace.onDidChangeConfiguration(
        (event) => event.affectsConfiguration('agentCheckpoints.peek') && this.#mark(),
      ),
      this.timeline.onDidChange(({ root }) => root.path === target.root.path && this.#recorded()),
    );
    this.#open = { target, document, subject, hunks, parts, marks };
    this.#mark();
    this.#setKey();
    this.#changed.fire();
    await this.#goTo(editor, this.#open.hunks[0]!);
    return true;
  }

  /** Whether anything of it still stands in the file, without showing it. */
  async stands(target: PeekTarget): Promise<boolean> {
    const found = await this.#prepare(target);
    return found !== undefined && found.hunks.length > 0;
  }

  async #prepare(target: PeekTarget) {
    const uri = this.roots.fileUri(target.root, entryOf(target.file.edits[0]!).path);
    if (!uri || !this.ports.fs.statSync(uri.fsPath, { throwIfNoEntry: false })?.isFile()) return undefined;
    try {
      const document = await vscode.workspace.openTextDocument(uri);
      await caughtUp(document);
      const subject = await loadSubject(this.ports, target, document);
      const text = document.getText();
      const hunks = subject && text.length <= maxTextLength ? standingIn(subject.parts, text) : undefined;
      return subject && hunks && { target, document, subject, hunks };
    } catch (error) {
      // A binary or a very large file opens in no text editor.
      this.log.info('peek', `${target.file.path}: ${messageOf(error)}`);
      return undefined;
    }
  }

  close(): void {
    const open = this.#open;
    if (!open) return;
    this.#open = undefined;
    open.parts.dispose();
    this.#said?.dispose();
    this.#setKey();
    this.#changed.fire();
  }

  /** @param index of the hunk to go on from; default the one at the cursor */
  async next(step: 1 | -1, index?: number): Promise<void> {
    const editor = this.#editor();
    // What was typed just now moves them.
    this.#find();
    const hunks = this.#open?.hunks ?? [];
    if (!editor || hunks.length === 0) return;
    const line = editor.selection.active.line;
    const from = hunks.findIndex((hunk) => hunk.index === (index ?? this.#at(line)?.index));
    const here = hunks[from]!;
    const inside = index !== undefined || (line >= here.line && line < here.line + Math.max(here.count, 1));
    // Between two changes, the next one in the direction is meant.
    const ahead = step === 1 ? here.line > line : here.line < line;
    const to = inside || !ahead ? from + step : from;
    await this.#goTo(editor, hunks[(to + hunks.length) % hunks.length]!);
  }

  async undoHunk(index?: number): Promise<void> {
    const open = this.#open;
    const editor = this.#editor();
    if (!open || !editor) return;
    this.#find();
    const hunk = this.#hunk(index);
    if (!hunk || this.#open !== open) return;
    const target = restoreTarget(open.target, hunk.index, hunk.hash);
    if (!target) return;
    await this.restore.hunk(open.target.root, target, `this hunk of ${open.target.file.path}`);
  }

  /** The state before in a peek view below the change. */
  async showBefore(index?: number): Promise<void> {
    const editor = this.#editor();
    const hunk = this.#hunk(index);
    const open = this.#open;
    if (!editor || !hunk || !open) return;
    const last = hunk.oldStart + Math.max(hunk.oldLines.length, 1) - 1;
    const range = new vscode.Range(hunk.oldStart, 0, last, hunk.oldLines.at(-1)?.length ?? 0);
    const line = Math.min(hunk.line + Math.max(hunk.count, 1) - 1, editor.document.lineCount - 1);
    await vscode.commands.executeCommand(
      'editor.action.peekLocations',
      editor.document.uri,
      new vscode.Position(line, 0),
      [new vscode.Location(open.subject.before[hunk.part]!, range)],
      'peek',
    );
  }

  #at(line: number): StandingHunk | undefined {
    return hunkAt(this.#open?.hunks ?? [], line);
  }

  #hunk(index: number | undefined): StandingHunk | undefined {
    if (index !== undefined) return this.#open?.hunks.find((hunk) => hunk.index === index);
    const editor = this.#editor();
    return editor && this.#at(editor.selection.active.line);
  }

  /** The editor in which the changes are. */
  #editor(): vscode.TextEditor | undefined {
    const document = this.#open?.document;
    const active = vscode.window.activeTextEditor;
    if (active?.document === document) return active;
    return vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  }

  async #goTo(editor: vscode.TextEditor, hunk: StandingHunk): Promise<void> {
    const open = this.#open;
    if (!open) return;
    const line = Math.min(hunk.line, editor.document.lineCount - 1);
    const position = new vscode.Position(line, editor.document.lineAt(line).firstNonWhitespaceCharacterIndex);
    await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn!, preview: true });
    editor.selection = new vscode.Selection(position, position);
    const end = Math.min(line + hunk.count, editor.document.lineCount - 1);
    editor.revealRange(new vscode.Range(line, 0, end, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.#say(positionText(hunk, open.hunks.indexOf(hunk) + 1, open.hunks.length, turnTitle(open.target.turn)));
  }

  /** Where the changes are in the text as it is now. */
  #find(): void {
    const open = this.#open;
    if (!open) return;
    const hunks = standingIn(open.subject.parts, open.document.getText());
    if (hunks === undefined || hunks.length === 0) {
      this.close();
      this.#say(`Nothing of “${turnTitle(open.target.turn)}” is left in this file.`);
      return;
    }
    if (open.hunks.length !== hunks.length) this.#said?.dispose();
    open.hunks = hunks;
    this.#mark();
    this.#changed.fire();
  }

  /** The turn may have gone on, or may have been taken back. */
  async #reload(): Promise<void> {
    const open = this.#open;
    if (!open) return;
    const subject = await loadSubject(this.ports, open.target, open.document);
    if (this.#open !== open) return;
    if (subject === undefined) return this.close();
    open.subject = subject;
    this.#find();
  }

  #say(text: string): void {
    this.#said?.dispose();
    this.#said = vscode.window.setStatusBarMessage(`$(sparkle) ${text.replaceAll('$(', '$ (')}`, statusMs);
  }

  #mark(): void {
    const open = this.#open;
    if (!open) return;
    const { turn } = open.target;
    const facts = [turnTitle(turn), turnOrigin(turn), relativeTime(turnTime(turn), this.ports.now())];
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === open.document) open.marks.set(editor, open.hunks, facts.filter(Boolean).join(' · '));
    }
  }

  #setKey(): void {
    const active = vscode.window.activeTextEditor?.document;
    this.contextKeys.set('agentCheckpoints.peeking', active !== undefined && active === this.#open?.document);
  }
}
