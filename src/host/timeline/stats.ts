// Counts of changed lines, worked out after the rows are shown and kept by content.
import * as vscode from 'vscode';
import { diffStats } from '../../core/diff/stats';
import type { Ports } from '../../core/ports';
import { Disposer } from '../disposable';
import type { Log } from '../log';
import type { HostRoot } from '../workspaceRoots';
import { bytesAround, contentKey } from './content';
import { entryOf, type Edit, type Turn } from './turns';
import { sidesOf } from './words';

export interface Stats {
  readonly added: number;
  readonly removed: number;
}

/** Above these a row goes without counts. */
const maxBytes = 512 * 1024;
const maxFiles = 40;
const maxKept = 5000;

export class LineStats extends Disposer {
  readonly #ready = this.own(new vscode.EventEmitter<{ root: HostRoot; turn: Turn }>());
  /** The counts of a turn that was asked for are there now. */
  readonly onDidCount = this.#ready.event;
  /** `null`: there are none (binary, too large, not known). */
  readonly #kept = new Map<string, Stats | null>();
  readonly #queue = new Map<string, { root: HostRoot; turn: Turn }>();
  #working = false;

  constructor(
    private readonly ports: Ports,
    private readonly log: Log,
  ) {
    super();
    this.own({ dispose: () => this.#queue.clear() });
  }

  /** Counts now: for the rows of one turn that was opened. */
  of(root: HostRoot, edits: readonly Edit[]): Stats | undefined {
    const key = keyOf(edits);
    let stats = this.#kept.get(key);
    if (stats === undefined) {
      stats = this.#count(root, edits) ?? null;
      if (this.#kept.size >= maxKept) this.#kept.delete(this.#kept.keys().next().value!);
      this.#kept.set(key, stats);
    }
    return stats ?? undefined;
  }

  /** The sum over a turn's files if all are counted; else asks for it and tells when it is there. */
  ofTurn(root: HostRoot, turn: Turn): Stats | undefined {
    if (turn.files.length > maxFiles) return undefined;
    let sum: Stats | undefined;
    for (const { edits } of turn.files) {
      const stats = this.#kept.get(keyOf(edits));
      if (stats === undefined) {
        this.#ask(root, turn);
        return undefined;
      }
      if (stats) sum = { added: (sum?.added ?? 0) + stats.added, removed: (sum?.removed ?? 0) + stats.removed };
    }
    return sum;
  }

  #ask(root: HostRoot, turn: Turn): void {
    this.#queue.set(`${root.hash}/${turn.key}`, { root, turn });
    if (this.#working) return;
    this.#working = true;
    void this.#work();
  }

  async #work(): Promise<void> {
    for (const [key, { root, turn }] of this.#queue) {
      for (const { edits } of turn.files) {
        // A step at a time: the extension host has other work.
        await new Promise(setImmediate);
        if (this.isDisposed) return;
        this.of(root, edits);
      }
      this.#queue.delete(key);
      this.#ready.fire({ root, turn });
    }
    this.#working = false;
  }

  #count(root: HostRoot, edits: readonly Edit[]): Stats | undefined {
    const { before, after } = sidesOf({ edits });
    if (after === undefined || after.type === 'unreadable' || before.type === 'unreadable') return undefined;
    if (Math.max(sizeOf(before), sizeOf(after)) > maxBytes) return undefined;
    try {
      const bytes = bytesAround(this.ports, root.stores, edits);
      if (!bytes.before || !bytes.after) return undefined;
      const { added, removed, binary } = diffStats(bytes.before, bytes.after);
      return binary ? undefined : { added, removed };
    } catch (error) {
      this.log.error('timeline', 'Lines of a change could not be counted', error);
      return undefined;
    }
  }
}

const sizeOf = (state: { type: string; size?: number }) => (state.type === 'file' ? (state.size ?? 0) : 0);

function keyOf(edits: readonly Edit[]): string {
  const first = edits[0]!;
  const last = edits.at(-1)!;
  return `${contentKey(entryOf(first).pre)}:${contentKey(entryOf(last).post)}`;
}
