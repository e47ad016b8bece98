// One rebuilt context while a person looks at it: what was chosen, and what follows from it.
import { shortLine } from '../../core/context/digestText';
import { figuresLine, rebuiltMarkdown } from '../../core/context/markdown';
import { callsOf, textOf } from '../../core/context/message';
import { rebuild, type RebuildOptions, type RebuildResult } from '../../core/context/rebuild';
import { chainPath, type ChainRebuild } from '../../core/context/rebuildChain';
import { summaryMessage, isSummaryMessage } from '../../core/context/summaryMessage';
import { messageTokens } from '../../core/context/tokens';
import { touchedFiles } from '../../core/context/touchedFiles';
import { unroll } from '../../core/context/unroll';
import type { Chain } from '../../core/conversation/chain';
import type { ConversationNode, Message, Summary } from '../../core/conversation/model';
import type { Ports } from '../../core/ports';
import { readSettings } from '../../core/state/settings';
import type { KeepStep, RebuildView, ShownList } from '../../protocol/rebuild';
import type { HostRoot } from '../workspaceRoots';

const sizes = [0, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000];
/** Messages of each end that are shown, and characters of each. */
const shown = { messages: 60, characters: 600 };
/** Characters; more is no summary. */
const maxSummary = 400_000;

export class RebuildSession {
  readonly path: readonly ConversationNode[];
  readonly steps: readonly KeepStep[];
  readonly #byDefault: number;
  #step: number;
  #given: RebuildOptions['summary'];
  #result: RebuildResult;
  status = '';

  /** @throws CheckpointError `not-found`, `damaged` unless `partial`, `changed-meanwhile` */
  constructor(
    private readonly ports: Ports,
    readonly root: HostRoot,
    readonly chain: Chain,
    readonly at: string,
    readonly point: string,
    readonly partial = false,
  ) {
    this.path = chainPath(chain, at);
    this.#byDefault = readSettings(ports).rebuild.keepTokens;
    const first = rebuild(this.path, this.#options(undefined));
    this.steps = [...(first.fromCheckpoint ? (['watermark'] as const) : []), ...withSize(this.#byDefault), 'all'];
    this.#step = first.fromCheckpoint ? 0 : this.steps.indexOf(this.#byDefault);
    this.#result = first;
  }

  get result(): RebuildResult {
    return this.#result;
  }

  get agent(): string | undefined {
    return this.path.findLast(({ source }) => source !== undefined)?.source?.agent;
  }

  /** For keeping the summary in the chain. */
  get forChain(): ChainRebuild {
    return { at: this.at, ...this.#result };
  }

  get markdown(): string {
    return rebuiltMarkdown(this.#result, this.chain.name);
  }

  get figures(): string {
    return figuresLine(this.#result);
  }

  /** The messages that the summary stands for. */
  get summarized(): readonly Message[] {
    return this.#parts().before;
  }

  keep(step: number): void {
    if (step < 0 || step >= this.steps.length) return;
    this.#step = step;
    this.#compute();
  }

  /** Undefined: the summary that is made by itself again. */
  useSummary(text: string | undefined, by: Summary['by'] = 'digest'): void {
    this.#given = text === undefined ? undefined : { text: text.slice(0, maxSummary), by };
    this.#compute();
  }

  view(agents: Pick<RebuildView, 'terminalAgent' | 'startAgent'>): RebuildView {
    const { result } = this;
    const { before, kept } = this.#parts();
    const summaryTokens = result.summary === undefined ? 0 : messageTokens(summaryMessage(result.summary.text));
    return {
      type: 'view',
      title: this.chain.name,
      point: this.point,
      steps: this.steps,
      step: this.#step,
      summary: result.summary?.text ?? null,
      summaryBy: this.#writer(),
      isEdited: this.#given !== undefined,
      summarized: shownList(before),
      kept: shownList(kept),
      tokens: {
        before: result.tokensBefore,
        summary: summaryTokens,
        kept: Math.max(0, result.tokensAfter - summaryTokens),
      },
      noOp: result.noOp,
      status: this.status,
      ...agents,
    };
  }

  #writer(): string {
    const { summary, fromCheckpoint } = this.#result;
    if (this.#given?.by === 'model' || summary?.by === 'model') return 'a language model';
    if (summary?.by === 'agent') return 'the agent';
    return fromCheckpoint ? 'an earlier rebuild' : 'a digest of the messages';
  }

  #compute(): void {
    const step = this.steps[this.#step]!;
    this.#result = rebuild(
      this.path,
      this.#options(step === 'watermark' ? undefined : step === 'all' ? Number.MAX_SAFE_INTEGER : step),
    );
  }

  #options(keepTokens: number | undefined): RebuildOptions {
    const { stores } = this.root;
    return {
      keepTokens,
      keepByDefault: this.#byDefault,
      partial: this.partial,
      summary: this.#given,
      files: (ids, nodes) => touchedFiles(this.ports, stores, ids, nodes),
    };
  }

  #parts(): { before: readonly Message[]; kept: readonly Message[] } {
    const all = unrolled(this.path);
    const { watermark, summarizedCount, messages } = this.#result;
    return {
      before: all.slice(watermark.index - summarizedCount, watermark.index),
      kept: messages.filter((message) => !isSummaryMessage(message)),
    };
  }
}

const withSize = (size: number): number[] => [...new Set([...sizes, size])].sort((a, b) => a - b);

const unrolled = (path: readonly ConversationNode[]): readonly Message[] => unroll(path).messages;

function shownList(messages: readonly Message[]): ShownList {
  const show = (message: Message) => ({ role: message.role, text: shownText(message), tokens: messageTokens(message) });
  const isLong = messages.length > 2 * shown.messages;
  return {
    count: messages.length,
    first: (isLong ? messages.slice(0, shown.messages) : messages).map(show),
    last: isLong ? messages.slice(-shown.messages).map(show) : [],
  };
}

function shownText(message: Message): string {
  const text = textOf(message);
  const cut = text.length > shown.characters ? `${text.slice(0, shown.characters)}…` : text;
  const calls = callsOf(message).map(({ name }) => `→ ${shortLine(name, 60)}`);
  return [...(cut.trim() === '' ? [] : [cut]), ...calls].join('\n').toWellFormed();
}
