// VS Code's log of changes to one object: a beginning, then values set, arrays appended to or cut, keys taken out.
import { isRecord, type JsonRecord } from '../../core/conversation/transcriptJson';

/** Steps of a path; a chat has about six. */
const maxSteps = 64;
/** An index beyond the end makes holes; more than a few are no chat. */
const maxGap = 1000;

export class ObjectLog {
  value: unknown = {};

  /** @throws Error where an entry makes no sense; nothing is changed then */
  apply(entry: JsonRecord): void {
    switch (entry.kind) {
      case 0:
        this.value = entry.v;
        return;
      case 1:
        this.set(stepsOf(entry.k), entry.v);
        return;
      case 2:
        this.push(stepsOf(entry.k), entry.v, entry.i);
        return;
      case 3:
        this.remove(stepsOf(entry.k));
        return;
      default:
        // A file that is the document itself, in one line.
        if (entry.kind === undefined && Array.isArray(entry.requests)) this.value = entry;
        else throw new Error('an entry of unknown kind');
    }
  }

  private set(steps: readonly Step[], value: unknown): void {
    const last = steps.at(-1);
    if (last === undefined) {
      this.value = value;
      return;
    }
    const holder = this.holderOf(steps);
    if (Array.isArray(holder)) {
      if (typeof last !== 'number' || last > holder.length + maxGap) throw new Error('a place that is not there');
      holder[last] = value;
    } else define(holder, String(last), value);
  }

  private push(steps: readonly Step[], added: unknown, from: unknown): void {
    const there = this.at(steps);
    const list = Array.isArray(there) ? (there as unknown[]) : [];
    if (there === undefined) this.set(steps, list);
    else if (!Array.isArray(there)) throw new Error('a list is expected');
    if (typeof from === 'number') {
      if (!Number.isSafeInteger(from) || from < 0) throw new Error('a place that is not there');
      list.length = Math.min(list.length, from);
    }
    if (added !== undefined && !Array.isArray(added)) throw new Error('a list is expected');
    for (const one of (added ?? []) as unknown[]) list.push(one);
  }

  private remove(steps: readonly Step[]): void {
    const last = steps.at(-1);
    if (last === undefined) throw new Error('nothing is named');
    const holder = this.holderOf(steps);
    if (Array.isArray(holder)) holder[Number(last)] = undefined;
    else delete holder[String(last)];
  }

  private at(steps: readonly Step[]): unknown {
    let value: unknown = this.value;
    for (const step of steps) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
      value = (value as Record<Step, unknown>)[step];
    }
    return value;
  }

  private holderOf(steps: readonly Step[]): unknown[] | Record<string, unknown> {
    const holder = this.at(steps.slice(0, -1));
    if (Array.isArray(holder)) return holder as unknown[];
    if (isRecord(holder)) return holder as Record<string, unknown>;
    throw new Error('a place that is not there');
  }
}

type Step = string | number;

function stepsOf(path: unknown): Step[] {
  if (!Array.isArray(path) || path.length > maxSteps) throw new Error('not a path');
  return path.map((step: unknown) => {
    if (typeof step === 'string') return step;
    if (typeof step === 'number' && Number.isSafeInteger(step) && step >= 0) return step;
    throw new Error('not a path');
  });
}

/** Also for `__proto__`, which a plain assignment would take for something else. */
function define(holder: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}
