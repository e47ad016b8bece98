// What the host and the Conversation panel say to each other. Whatever the webview sends is checked before it is used.

/** A checkpoint of the conversation, as far as the graph needs it. */
export interface PanelNode {
  readonly id: string;
  /** Index of the parent; -1 at a root. */
  readonly parent: number;
  readonly ts?: string | undefined;
  /** Messages that it added. */
  readonly messages: number;
  readonly opensTurn: boolean;
  readonly kind: 'pass' | 'compaction' | 'rewind' | 'other';
  readonly files: number;
  readonly incomplete?: boolean | undefined;
  readonly orphan?: boolean | undefined;
  readonly sidechain?: boolean | undefined;
}

/** What a row says; read from the file only for rows that are seen. */
export interface PanelLabel {
  readonly index: number;
  /** One line. */
  readonly text: string;
  readonly who: 'user' | 'assistant' | 'other';
  readonly tools: readonly string[];
  readonly files: readonly { readonly path: string; readonly added: number; readonly removed: number }[];
}

export interface PanelMessage {
  readonly role: string;
  readonly text: string;
  /** Characters that were left out at its end. */
  readonly cut: number;
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  readonly isError: boolean;
}

export const panelActions = [
  'previewFiles',
  'rewindFiles',
  'rewindConversation',
  'rewindBoth',
  'fork',
  'rebuild',
  'copyMessages',
  'copyId',
] as const;
export type PanelAction = (typeof panelActions)[number];

export type ToPanel =
  | {
      readonly type: 'state';
      readonly title: string;
      /** Names the root and the conversation after a reload. */
      readonly place: { readonly root: string; readonly name: string };
      readonly agent: string;
      readonly leaf: number;
      readonly done: boolean;
      readonly percent: number;
      readonly damaged: number;
      readonly problem?: string | undefined;
    }
  /** `from` 0 begins anew. */
  | { readonly type: 'nodes'; readonly from: number; readonly nodes: readonly PanelNode[] }
  | { readonly type: 'damage'; readonly damaged: readonly { readonly line: number; readonly reason: string }[] }
  | { readonly type: 'labels'; readonly labels: readonly PanelLabel[] }
  | {
      readonly type: 'messages';
      readonly index: number;
      readonly messages: readonly PanelMessage[];
      readonly actions: readonly PanelAction[];
      readonly problem?: string | undefined;
    }
  | { readonly type: 'found'; readonly query: string; readonly indices: readonly number[]; readonly done: boolean }
  | { readonly type: 'reveal'; readonly index: number };

export type FromPanel =
  | { readonly type: 'ready' }
  | { readonly type: 'labels'; readonly indices: readonly number[] }
  | { readonly type: 'open'; readonly index: number }
  | { readonly type: 'search'; readonly query: string }
  | { readonly type: 'action'; readonly action: PanelAction; readonly index: number };

/** Labels that are asked for at once. */
export const maxLabels = 300;
export const maxQuery = 500;

const isIndex = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** The message, or undefined for anything that is none. */
export function fromPanel(value: unknown): FromPanel | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, indices, index, query, action } = value as Record<string, unknown>;
  switch (type) {
    case 'ready':
      return { type };
    case 'labels':
      return Array.isArray(indices) && indices.length <= maxLabels && indices.every(isIndex)
        ? { type, indices }
        : undefined;
    case 'open':
      return isIndex(index) ? { type, index } : undefined;
    case 'search':
      return typeof query === 'string' && query.length <= maxQuery ? { type, query } : undefined;
    case 'action': {
      const known = panelActions.find((each) => each === action);
      return known !== undefined && isIndex(index) ? { type, action: known, index } : undefined;
    }
    default:
      return undefined;
  }
}
