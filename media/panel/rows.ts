// The graph and its rows: only what is seen has elements.
import { maxLanes, type Segment } from '../../src/core/conversation/graph';
import { el, svg } from './dom';
import type { PanelModel } from './model';

export const rowHeight = 26;
const laneWidth = 14;
const margin = 12;
/** Rows beyond the edges that have elements too. */
const beyond = 8;

export interface RowEvents {
  select(index: number): void;
  open(index: number): void;
  toggle(head: number): void;
  /** Rows that have no text yet. */
  wants(indices: readonly number[]): void;
}

export class Rows {
  readonly element = el('div', { class: 'rows', role: 'tree', tabindex: 0, 'aria-label': 'Conversation' });
  readonly #space = el('div', { class: 'space' });
  readonly #graph = svg('svg', { class: 'graph', 'aria-hidden': 'true' });
  #rows = new Map<number, HTMLElement>();
  #isDue = false;

  constructor(
    private readonly model: PanelModel,
    private readonly events: RowEvents,
  ) {
    this.#space.append(this.#graph);
    this.element.append(this.#space);
    this.element.addEventListener('scroll', () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** At the next frame. */
  draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#drawNow();
    });
  }

  /** Everything anew: the graph, the labels or the selection changed. */
  redraw(): void {
    for (const row of this.#rows.values()) row.remove();
    this.#rows.clear();
    this.draw();
  }

  reveal(index: number): void {
    const row = this.model.graph.rowOf[index] ?? -1;
    if (row < 0) return;
    this.#space.style.height = `${this.model.graph.rows.length * rowHeight}px`;
    const top = row * rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + rowHeight > scrollTop + clientHeight) this.element.scrollTop = top + rowHeight - clientHeight;
  }

  /** Rows that fit. */
  get page(): number {
    return Math.max(1, Math.floor(this.element.clientHeight / rowHeight) - 1);
  }

  #drawNow(): void {
    const { rows } = this.model.graph;
    this.#space.style.height = `${rows.length * rowHeight}px`;
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - beyond);
    const last = Math.min(
      rows.length - 1,
      Math.ceil((this.element.scrollTop + this.element.clientHeight) / rowHeight) + beyond,
    );
    for (const [row, element] of this.#rows) {
      if (row >= first && row <= last) continue;
      element.remove();
      this.#rows.delete(row);
    }
    const wanted: number[] = [];
    for (let row = first; row <= last; row++) {
      const index = rows[row]!;
      if (!this.model.labels.has(index)) wanted.push(index);
      if (this.#rows.has(row)) continue;
      const element = this.#row(row, index);
      this.#rows.set(row, element);
      this.#space.append(element);
    }
    if (wanted.length > 0) this.events.wants(wanted.slice(0, 200));
    this.#drawGraph(first, last);
    const { selected } = this.model;
    if (selected >= 0) this.element.setAttribute('aria-activedescendant', `node-${selected}`);
  }

  #row(row: number, index: number): HTMLElement {
    const { model } = this;
    const node = model.nodes[index]!;
    const label = model.labels.get(index);
    const folded = model.foldedCount(index);
    const isFolded = folded > 0 && model.isFolded(index);
    const branches = model.children[index]!.length;
    const lane = model.graph.lanes[row]!;
    const element = el('div', {
      class: `row ${label?.who ?? 'unknown'}${model.selected === index ? ' selected' : ''}${model.found.has(index) ? ' found' : ''}${model.path.has(index) ? '' : ' aside'}`,
      id: `node-${index}`,
      role: 'treeitem',
      'aria-level': lane + 1,
      'aria-setsize': model.graph.rows.length,
      'aria-posinset': row + 1,
      'aria-selected': model.selected === index ? 'true' : 'false',
      'aria-expanded': folded > 0 ? String(!isFolded) : undefined,
      'aria-label': this.#name(index, branches, isFolded ? folded : 0),
      'data-id': node.id,
    });
    element.style.top = `${row * rowHeight}px`;
    element.style.paddingLeft = `${margin + Math.min(maxLanes, model.graph.laneCount) * laneWidth}px`;
    if (folded > 0) {
      const twist = el('span', { class: 'twist codicon-like', 'aria-hidden': true }, isFolded ? '▸' : '▾');
      twist.addEventListener('click', (event) => {
        event.stopPropagation();
        this.events.toggle(index);
      });
      element.append(twist);
    } else element.append(el('span', { class: 'twist' }));
    element.append(el('span', { class: 'text' }, label?.text ?? '…'));
    for (const tool of label?.tools.slice(0, 3) ?? []) element.append(el('span', { class: 'tool-name' }, tool));
    if (isFolded) element.append(el('span', { class: 'badge' }, `+${folded}`));
    for (const { path, added, removed } of label?.files.slice(0, 3) ?? []) {
      const name = path.slice(path.lastIndexOf('/') + 1);
      element.append(
        el(
          'span',
          { class: 'chip', title: path },
          name,
          el('span', { class: 'added' }, ` +${added}`),
          el('span', { class: 'removed' }, ` −${removed}`),
        ),
      );
    }
    if (branches > 1) element.append(el('span', { class: 'badge' }, `${branches} branches`));
    if (node.kind !== 'pass') element.append(el('span', { class: 'mark' }, node.kind));
    if (node.sidechain) element.append(el('span', { class: 'mark' }, 'subagent'));
    if (node.incomplete) element.append(el('span', { class: 'mark warn' }, 'incomplete'));
    if (model.leaf === index) element.append(el('span', { class: 'mark leaf' }, 'now'));
    element.addEventListener('click', () => this.events.select(index));
    element.addEventListener('dblclick', () => this.events.open(index));
    return element;
  }

  #name(index: number, branches: number, folded: number): string {
    const node = this.model.nodes[index]!;
    const label = this.model.labels.get(index);
    const parts = [
      label === undefined ? 'Checkpoint' : { user: 'You', assistant: 'Agent', other: 'Checkpoint' }[label.who],
      label?.text ?? '',
      label !== undefined && label.tools.length > 0 ? `tools ${label.tools.join(', ')}` : '',
      ...(label?.files.map(({ path, added, removed }) => `${path}, ${added} added, ${removed} removed`) ?? []),
      folded > 0 ? `${folded} more in this turn` : '',
      branches > 1 ? `fork with ${branches} branches` : '',
      node.kind === 'pass' ? '' : node.kind,
      node.incomplete ? 'incomplete' : '',
      this.model.leaf === index ? 'the conversation is here' : this.model.path.has(index) ? '' : 'on another branch',
    ];
    return parts.filter((part) => part !== '').join('; ');
  }

  #drawGraph(first: number, last: number): void {
    const { graph, nodes, selected, path } = this.model;
    const width = margin + graph.laneCount * laneWidth;
    const top = first * rowHeight;
    const height = (last - first + 1) * rowHeight;
    this.#graph.setAttribute('width', String(width));
    this.#graph.setAttribute('height', String(Math.max(0, height)));
    this.#graph.style.top = `${top}px`;
    const x = (lane: number) => margin + lane * laneWidth;
    const y = (row: number) => row * rowHeight + rowHeight / 2 - top;
    const shapes: SVGElement[] = [];
    for (const each of graph.segments) {
      if (Math.min(each.first, each.from < 0 ? each.first : each.from) > last || each.last < first) continue;
      shapes.push(svg('path', { d: pathOf(each, x, y, first, last), class: `edge lane${each.lane % 6}` }));
    }
    for (let row = first; row <= last; row++) {
      const index = graph.rows[row]!;
      const lane = graph.lanes[row]!;
      const kind = nodes[index]!.kind === 'pass' ? '' : ' other';
      const state = `${index === selected ? ' selected' : ''}${path.has(index) ? ' active' : ''}${this.model.leaf === index ? ' leaf' : ''}`;
      shapes.push(
        svg('circle', {
          cx: x(lane),
          cy: y(row),
          r: this.model.leaf === index ? 6 : 4,
          class: `dot lane${lane % 6}${kind}${state}`,
        }),
      );
    }
    this.#graph.replaceChildren(...shapes);
  }
}

/** Cut to what is seen: a line of a million pixels is slow to draw. */
function pathOf(
  { lane, from, fromLane, first, last }: Segment,
  x: (lane: number) => number,
  y: (row: number) => number,
  top: number,
  bottom: number,
): string {
  const begin = Math.max(first, top - 1);
  const end = Math.min(last, bottom + 1);
  const line = `M ${x(lane)} ${y(begin)} L ${x(lane)} ${y(Math.max(begin, end))}`;
  if (from < 0) return line;
  const start = Math.max(from, top - 2);
  const bend = y(first) - rowHeight / 2;
  return `M ${x(fromLane)} ${y(from)} C ${x(fromLane)} ${y(from) + rowHeight / 2}, ${x(lane)} ${y(from) + rowHeight / 4}, ${x(lane)} ${y(from) + rowHeight} L ${x(lane)} ${Math.max(y(start) + rowHeight, bend)} L ${x(lane)} ${y(Math.max(begin, first))} ${line}`;
}
