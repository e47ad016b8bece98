// The page of the preview. What comes from a conversation is only ever set as text.
(() => {
  const vscode = acquireVsCodeApi();
  const byId = (id) => document.getElementById(id);
  const approximate = (tokens) => `≈ ${Math.round(tokens).toLocaleString('en-US')}`;
  const summary = byId('summary');
  const keep = byId('keep');
  let view;
  let typing;
  /** The step that was asked for and is not shown yet: keys come faster than answers. */
  let wanted;

  const element = (name, className, text) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  const stepText = (step) => {
    if (step === 'watermark') return 'from the watermark of its summary on';
    if (step === 'all') return 'everything';
    return step === 0 ? 'nothing' : `about ${step.toLocaleString('en-US')} tokens`;
  };

  function showBars({ before, summary: summaryTokens, kept }) {
    const after = summaryTokens + kept;
    const most = Math.max(before, after, 1);
    const bar = (...parts) => {
      const made = element('div', 'bar');
      for (const [name, tokens] of parts) {
        if (tokens === 0) continue;
        const part = element('span', name);
        part.style.width = `${(100 * tokens) / most}%`;
        made.append(part);
      }
      return made;
    };
    byId('bars').replaceChildren(
      element('span', '', 'Before'),
      bar(['before', before]),
      element('span', '', `${approximate(before)} tokens`),
      element('span', '', 'After'),
      bar(['summary', summaryTokens], ['kept', kept]),
      element('span', '', `${approximate(after)} tokens`),
    );
    byId('bars').setAttribute(
      'aria-label',
      `Estimate: ${approximate(before)} tokens before, ${approximate(after)} after, of which ${approximate(summaryTokens)} are the summary`,
    );
  }

  function showFigures({ tokens, summarized, kept, noOp }) {
    const figures = byId('figures');
    if (noOp) {
      figures.textContent = 'Nothing has to be summarised: the context stays as it is.';
      return;
    }
    figures.replaceChildren(
      element(
        'span',
        'legend summary',
        `Summary of ${summarized.count} messages, ${approximate(tokens.summary)} tokens`,
      ),
      element('span', 'legend kept', `${kept.count} messages word for word, ${approximate(tokens.kept)} tokens`),
    );
  }

  const names = { user: 'User', assistant: 'Assistant', tool: 'Tool result', system: 'System' };

  function showList(id, title, { count, first, last }) {
    byId(`${id}Title`).textContent = `${title} (${count})`;
    const items = [...first, ...last].map(({ role, text, tokens }) => {
      const item = element('li');
      item.append(element('span', 'tokens', approximate(tokens)), element('span', 'role', names[role] ?? role));
      item.append(element('p', 'text', text));
      return item;
    });
    const hidden = count - first.length - last.length;
    if (hidden > 0) items.splice(first.length, 0, element('li', '', `… ${hidden} more …`));
    byId(id).replaceChildren(...items);
  }

  function show(next) {
    view = next;
    byId('title').textContent = view.title;
    byId('point').textContent = view.point;
    if (view.step === wanted) wanted = undefined;
    const step = wanted ?? view.step;
    keep.max = String(view.steps.length - 1);
    keep.value = String(step);
    const text = stepText(view.steps[step]);
    byId('keepText').textContent = text;
    keep.setAttribute('aria-valuetext', text);
    showBars(view.tokens);
    showFigures(view);
    const isTyping = document.activeElement === summary && typing !== undefined;
    if (!isTyping && summary.value !== (view.summary ?? '')) summary.value = view.summary ?? '';
    const by = view.isEdited && view.summaryBy !== 'a language model' ? 'Edited by you.' : `By ${view.summaryBy}.`;
    byId('by').textContent =
      view.summary === null
        ? 'There is none: nothing is summarised.'
        : `${by} You can change it: what you hand over has your text.`;
    showList('kept', 'Kept word for word', view.kept);
    showList('summarized', 'Summarised', view.summarized);
    byId('status').textContent = view.status;
    offer('terminal', view.terminalAgent, (agent) => `Start ${agent} in a Terminal`);
    offer('nextStart', view.startAgent, (agent) => `Give to ${agent}’s Next Start`);
    button('reset').hidden = !view.isEdited;
    button('distill').hidden = view.summary === null;
  }

  const button = (action) => document.querySelector(`[data-action="${action}"]`);

  function offer(action, agent, title) {
    button(action).hidden = agent === null;
    if (agent !== null) button(action).textContent = title(agent);
  }

  function sendSummary() {
    if (typing === undefined) return;
    clearTimeout(typing);
    typing = undefined;
    vscode.postMessage({ type: 'summary', text: summary.value });
  }

  summary.addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(sendSummary, 400);
  });
  summary.addEventListener('blur', sendSummary);
  keep.addEventListener('input', () => {
    sendSummary();
    wanted = Number(keep.value);
    vscode.postMessage({ type: 'keep', step: wanted });
  });
  for (const each of document.querySelectorAll('[data-action]')) {
    each.addEventListener('click', () => {
      sendSummary();
      vscode.postMessage({ type: 'do', action: each.dataset.action });
    });
  }
  window.addEventListener('message', ({ data }) => {
    if (data?.type === 'view') show(data);
  });
  vscode.postMessage({ type: 'ready' });
})();
