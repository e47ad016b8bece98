// The Conversation panel: keyboard, search, and the talk with the host.
import { maxQuery, type FromPanel, type ToPanel } from '../../src/protocol/conversation';
import { Details } from './details';
import { el } from './dom';
import { PanelModel } from './model';
import { Rows } from './rows';

declare function acquireVsCodeApi(): {
  postMessage(message: FromPanel): void;
  setState(state: unknown): void;
  getState(): unknown;
};

const vscode = acquireVsCodeApi();
const post = (message: FromPanel) => vscode.postMessage(message);
const model = new PanelModel();
const asked = new Set<number>();
let isDone = false;
/** A person chose a row: the view does not jump any more. */
let hasChosen = false;
let searchTimer: ReturnType<typeof setTimeout> | undefined;

const title = el('h1', {}, 'Conversation');
const status = el('span', { class: 'status', role: 'status', 'aria-live': 'polite' });
const search = el('input', {
  type: 'search',
  placeholder: 'Search messages',
  'aria-label': 'Search messages',
  maxlength: maxQuery,
});
const fold = el('button', { type: 'button', class: 'fold', title: 'Fold or unfold all turns' }, 'Fold Turns');
const damage = el('details', { class: 'damage', hidden: true });
const details = new Details((action, index) => post({ type: 'action', action, index }));
const rows = new Rows(model, {
  select,
  open: (index) => {
    select(index);
    details.element.focus();
  },
  toggle: (head) => {
    model.toggle(head);
    rows.redraw();
  },
  wants(indices) {
    const news = indices.filter((index) => !asked.has(index));
    if (news.length === 0) return;
    news.forEach((index) => asked.add(index));
    post({ type: 'labels', indices: news });
  },
});
document.body.append(
  el('header', {}, title, status, search, fold),
  damage,
  el('main', {}, rows.element, details.element),
);

/** What is there again after a reload. */
function remember(more: object): void {
  vscode.setState({ ...(vscode.getState() as object | undefined), ...more });
}

function select(index: number | undefined): void {
  if (index === undefined || model.nodes[index] === undefined) return;
  hasChosen = true;
  if (index !== model.selected) details.wait();
  model.selected = index;
  model.unfoldTo(index);
  rows.reveal(index);
  rows.redraw();
  remember({ selected: model.nodes[index].id });
  post({ type: 'open', index });
}

window.addEventListener('message', ({ data }: MessageEvent<ToPanel>) => {
  switch (data.type) {
    case 'nodes':
      if (data.from === 0) asked.clear();
      model.add(data.from, data.nodes);
      rows.redraw();
      return;
    case 'state':
      title.textContent = data.title;
      remember(data.place);
      status.textContent = statusText(data);
      if (model.leaf !== data.leaf) {
        model.leaf = data.leaf;
        model.changed();
      }
      if (data.done && !isDone) restoreSelection();
      isDone = data.done;
      rows.redraw();
      return;
    case 'labels':
      for (const label of data.labels) model.labels.set(label.index, label);
      rows.redraw();
      return;
    case 'messages':
      if (data.index === model.selected) details.show(data.index, data.messages, data.actions, data.problem);
      return;
    case 'found':
      showFound(data.query, data.indices, data.done);
      return;
    case 'damage':
      damage.hidden = data.damaged.length === 0;
      damage.replaceChildren(
        el('summary', {}, `${data.damaged.length} damaged ${data.damaged.length === 1 ? 'line' : 'lines'}`),
        el('ul', {}, ...data.damaged.slice(0, 200).map(({ line, reason }) => el('li', {}, `Line ${line}: ${reason}`))),
      );
      return;
    case 'reveal':
      select(data.index);
  }
});

function statusText({ done, percent, problem }: Extract<ToPanel, { type: 'state' }>): string {
  if (problem !== undefined) return problem;
  if (!done) return `Reading… ${percent} %`;
  const forks = model.children.filter((children) => children.length > 1).length;
  return `${model.nodes.length.toLocaleString()} checkpoints, ${forks} ${forks === 1 ? 'fork' : 'forks'}`;
}

/** What was selected before a reload, else where the conversation is now. */
function restoreSelection(): void {
  if (hasChosen) return;
  const known = (vscode.getState() as { selected?: unknown } | undefined)?.selected;
  const index = model.nodes.findIndex(({ id }) => id === known);
  const target = index >= 0 ? index : model.leaf;
  if (target >= 0) select(target);
  hasChosen = false;
}

function showFound(query: string, indices: readonly number[], done: boolean): void {
  if (query !== search.value) return;
  model.found = new Set(indices);
  status.textContent = query === '' ? '' : `${indices.length.toLocaleString()} found${done ? '' : '…'}`;
  rows.redraw();
}

search.addEventListener('input', () => {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => post({ type: 'search', query: search.value }), 200);
});
search.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') goToFound(event.shiftKey ? -1 : 1);
  else if (event.key === 'Escape') {
    search.value = '';
    post({ type: 'search', query: '' });
    rows.element.focus();
  } else if (event.key === 'ArrowDown') rows.element.focus();
  else return;
  event.preventDefault();
});

function goToFound(step: 1 | -1): void {
  const all = [...model.found].sort((a, b) => a - b);
  if (all.length === 0) return;
  const next =
    step === 1 ? all.find((index) => index > model.selected) : all.findLast((index) => index < model.selected);
  select(next ?? all.at(step === 1 ? 0 : -1));
}

fold.addEventListener('click', () => {
  model.toggleAll();
  if (model.selected >= 0 && model.graph.rowOf[model.selected] === -1) model.selected = model.heads[model.selected]!;
  rows.redraw();
  if (model.selected >= 0) rows.reveal(model.selected);
});

/** Along the path, over what is folded. */
function step(direction: 1 | -1): number | undefined {
  const { graph } = model;
  for (let at: number | undefined = model.selected, left = model.nodes.length; at !== undefined && left > 0; left--) {
    const parent: number = model.nodes[at]!.parent;
    at = direction === 1 ? model.childOf(at) : parent < 0 ? undefined : parent;
    if (at !== undefined && graph.rowOf[at]! >= 0) return at;
  }
  return undefined;
}

rows.element.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { selected } = model;
  if (selected < 0 && event.key.startsWith('Arrow')) select(model.leaf >= 0 ? model.leaf : 0);
  else if (event.key === 'ArrowDown') select(step(1));
  else if (event.key === 'ArrowUp') select(step(-1));
  else if (event.key === 'ArrowRight') select(model.siblingOf(selected, 1));
  else if (event.key === 'ArrowLeft') select(model.siblingOf(selected, -1));
  else if (event.key === 'Home') select(model.graph.rows[0]);
  else if (event.key === 'End') select(model.leaf);
  else if (event.key === 'PageDown' || event.key === 'PageUp') {
    const row = (model.graph.rowOf[selected] ?? 0) + (event.key === 'PageDown' ? rows.page : -rows.page);
    select(model.graph.rows[Math.max(0, Math.min(model.graph.rows.length - 1, row))]);
  } else if (event.key === ' ' && selected >= 0) {
    model.toggle(model.heads[selected]!);
    if (model.graph.rowOf[selected] === -1) model.selected = model.heads[selected]!;
    rows.redraw();
  } else if (event.key === 'Enter') (details.element.querySelector('button') ?? details.element).focus();
  else if (event.key.length === 1 && event.key !== ' ') {
    search.focus();
    return;
  } else return;
  event.preventDefault();
});

details.element.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') rows.element.focus();
});

post({ type: 'ready' });
rows.element.focus();
