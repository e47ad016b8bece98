// What the preview of a rebuilt context and the extension say to each other.

/** A step of the keep-size: tokens, everything, or from the watermark of the summary in the conversation on. */
export type KeepStep = number | 'all' | 'watermark';

export interface ShownMessage {
  readonly role: string;
  /** The beginning of it. */
  readonly text: string;
  readonly tokens: number;
}

/** Only the first and the last of many are shown. */
export interface ShownList {
  readonly count: number;
  readonly first: readonly ShownMessage[];
  readonly last: readonly ShownMessage[];
}

export interface RebuildView {
  readonly type: 'view';
  readonly title: string;
  /** Up to where, in words. */
  readonly point: string;
  readonly steps: readonly KeepStep[];
  /** Index in `steps`. */
  readonly step: number;
  readonly summary: string | null;
  /** Who wrote it, in words. */
  readonly summaryBy: string;
  readonly isEdited: boolean;
  readonly summarized: ShownList;
  readonly kept: ShownList;
  /** Estimates. */
  readonly tokens: { readonly before: number; readonly summary: number; readonly kept: number };
  readonly noOp: boolean;
  /** What the last action did. */
  readonly status: string;
  /** The agent that a terminal can be opened with; null where none is known. */
  readonly terminalAgent: string | null;
  /** The agent whose next start can be given the context. */
  readonly startAgent: string | null;
}

export const rebuildActions = [
  'chat',
  'nextStart',
  'terminal',
  'copy',
  'markdown',
  'json',
  'distill',
  'model',
  'reset',
  'other',
] as const;
export type RebuildAction = (typeof rebuildActions)[number];

export type FromRebuildView =
  | { readonly type: 'ready' }
  | { readonly type: 'keep'; readonly step: number }
  | { readonly type: 'summary'; readonly text: string }
  | { readonly type: 'do'; readonly action: RebuildAction };

/** A message of the webview; undefined for anything else. */
export function fromRebuildView(value: unknown): FromRebuildView | undefined {
  const { type, step, text, action } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  if (type === 'ready') return { type };
  if (type === 'keep' && typeof step === 'number' && Number.isInteger(step)) return { type, step };
  if (type === 'summary' && typeof text === 'string') return { type, text };
  const known = rebuildActions.find((one) => one === action);
  return type === 'do' && known !== undefined ? { type, action: known } : undefined;
}
