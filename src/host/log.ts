import * as vscode from 'vscode';
import { CheckpointError } from '../core/errors';

/** The product's output channel; each line names the part that writes it. */
export interface Log {
  info(part: string, text: string): void;
  warn(part: string, text: string): void;
  error(part: string, what: string, error: unknown): void;
  show(): void;
}

export function createLog(): Log & vscode.Disposable {
  const channel = vscode.window.createOutputChannel('Agent Checkpoints', { log: true });
  return {
    info: (part, text) => channel.info(`[${part}] ${text}`),
    warn: (part, text) => channel.warn(`[${part}] ${text}`),
    error: (part, what, error) => channel.error(`[${part}] ${what}: ${describe(error)}`),
    show: () => channel.show(true),
    dispose: () => channel.dispose(),
  };
}

function describe(error: unknown): string {
  if (CheckpointError.is(error)) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** What a person reads of an error: our own text, else the system's. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
