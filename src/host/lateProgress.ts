import * as vscode from 'vscode';

export interface Running {
  report(message: string): void;
  readonly isCancelled: boolean;
}

/** Only what takes longer shows a progress; what is quick shows its result. */
const lateMs = 1000;

/** Runs `work`; after a second it is shown with a button to cancel. */
export async function withLateProgress<T>(title: string, work: (running: Running) => Promise<T>): Promise<T> {
  let cancelled = false;
  let last: string | undefined;
  let show: ((message: string) => void) | undefined;
  const result = work({
    report: (message) => {
      last = message;
      show?.(message);
    },
    get isCancelled() {
      return cancelled;
    },
  });
  const settled = result.then(
    () => true,
    () => true,
  );
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, lateMs, false)));
  const isDone = await Promise.race([settled, late]);
  clearTimeout(timer);
  if (!isDone) {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      async (progress, token) => {
        token.onCancellationRequested(() => (cancelled = true));
        show = (message) => progress.report({ message });
        if (last !== undefined) show(last);
        await settled;
      },
    );
  }
  return await result;
}
