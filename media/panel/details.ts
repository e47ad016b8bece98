// The messages of the selected checkpoint, and what can be done with it.
import type { PanelAction, PanelMessage } from '../../src/protocol/conversation';
import { el } from './dom';
import { renderMarkdown } from './markdown';

const actionTexts: Readonly<Record<PanelAction, string>> = {
  previewFiles: 'Preview Files',
  rewindFiles: 'Rewind Files to Here…',
  rewindConversation: 'Rewind Conversation to Here…',
  rewindBoth: 'Rewind Both…',
  fork: 'Fork',
  rebuild: 'Rebuild Context',
  copyMessages: 'Copy Messages',
  copyId: 'Copy Id',
};

const roles: Readonly<Record<string, string>> = { user: 'You', assistant: 'Agent', tool: 'Result', system: 'System' };

export class Details {
  readonly element = el('section', { class: 'details', 'aria-label': 'Messages', tabindex: -1 });

  constructor(private readonly act: (action: PanelAction, index: number) => void) {
    this.empty();
  }

  empty(): void {
    this.element.replaceChildren(
      el(
        'p',
        { class: 'hint' },
        'Select a checkpoint to read its messages. Arrow keys go along the path and across branches; type to search.',
      ),
    );
  }

  /** Another checkpoint was chosen and its messages are on their way: what is shown acts on none. */
  wait(): void {
    for (const button of this.element.querySelectorAll<HTMLButtonElement>('.actions button')) button.disabled = true;
  }

  show(
    index: number,
    messages: readonly PanelMessage[],
    actions: readonly PanelAction[],
    problem: string | undefined,
  ): void {
    const bar = el('div', { class: 'actions', role: 'toolbar', 'aria-label': 'Actions' });
    for (const action of actions) {
      const button = el('button', { type: 'button', 'data-action': action }, actionTexts[action]);
      button.addEventListener('click', () => this.act(action, index));
      bar.append(button);
    }
    this.element.replaceChildren(bar);
    if (problem !== undefined) this.element.append(el('p', { class: 'problem', role: 'alert' }, problem));
    for (const message of messages) this.element.append(article(message));
    if (messages.length === 0 && problem === undefined) this.element.append(el('p', { class: 'hint' }, 'No messages.'));
    this.element.scrollTop = 0;
  }
}

function article({ role, text, cut, calls, isError }: PanelMessage): HTMLElement {
  const known = roles[role] ?? role;
  const out = el(
    'article',
    { class: `message ${role in roles ? role : 'other'}`, 'aria-label': known },
    el('h2', {}, isError ? `${known} (failed)` : known),
  );
  if (role === 'tool') out.append(el('pre', { tabindex: 0 }, text));
  else if (text !== '') out.append(renderMarkdown(text));
  if (cut > 0) out.append(el('p', { class: 'hint' }, `${cut.toLocaleString()} more characters are not shown.`));
  for (const call of calls) {
    out.append(
      el('details', { class: 'call' }, el('summary', {}, call.name), el('pre', { tabindex: 0 }, call.arguments)),
    );
  }
  return out;
}
