import type { Disposable } from 'vscode';

/** Base of what owns listeners: what is registered after the end is disposed at once. */
export class Disposer implements Disposable {
  readonly #owned = new Set<Disposable>();
  #disposed = false;

  protected get isDisposed() {
    return this.#disposed;
  }

  protected own<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#owned.add(item);
    return item;
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    for (const item of this.#owned) item.dispose();
    this.#owned.clear();
  }
}

/** Calls `run` once, `ms` after the last call of the returned trigger. */
export function debounce(ms: number, run: () => void): (() => void) & Disposable {
  let timer: NodeJS.Timeout | undefined;
  const trigger = () => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
  return Object.assign(trigger, { dispose: () => clearTimeout(timer) });
}
