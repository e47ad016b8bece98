import type { HookAdapter } from '../agent';
import { eventOf } from '../event';

/** VS Code's agent names no turn: one begins with each prompt. */
export const vscodeHook: HookAdapter = {
  name: 'vscode',
  parse: (payloadText, context) => eventOf('vscode', payloadText, context),
};
