// Markdown as people and agents write it, turned into elements. There is no way in for HTML, scripts, images or links
// that lead anywhere: an address is shown as text.
import { el } from './dom';

/** Lines of one message that are rendered; the rest is plain text. */
const maxLines = 5000;

export function renderMarkdown(text: string): HTMLElement {
  const out = el('div', { class: 'markdown' });
  const lines = text.split(/\r?\n/);
  const shown = lines.slice(0, maxLines);
  for (let i = 0; i < shown.length;) i = block(out, shown, i);
  if (lines.length > maxLines) out.append(el('pre', {}, lines.slice(maxLines).join('\n')));
  return out;
}

/** Appends the block that begins at line `i`; the line behind it. */
function block(out: HTMLElement, lines: readonly string[], i: number): number {
  const line = lines[i]!;
  if (line.trim() === '') return i + 1;
  const fence = /^\s{0,3}(`{3,}|~{3,})\s*([\w+#.-]{0,30})/.exec(line);
  if (fence !== null) return code(out, lines, i, fence[1]!, fence[2]!);
  const heading = /^(#{1,6})\s+(.*)$/.exec(line);
  if (heading !== null) {
    // The message itself is a part of the page: its headings begin below.
    const level = Math.min(6, heading[1]!.length + 2) as 3 | 4 | 5 | 6;
    out.append(el(`h${level}`, {}, ...inline(heading[2]!)));
    return i + 1;
  }
  if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
    out.append(el('hr'));
    return i + 1;
  }
  if (listItem(line) !== null) return list(out, lines, i);
  if (/^\s{0,3}>/.test(line)) {
    const end = endOf(lines, i, (each) => /^\s{0,3}>/.test(each));
    const quote = el('blockquote');
    const inner = lines.slice(i, end).map((each) => each.replace(/^\s{0,3}>\s?/, ''));
    // One level only: what is quoted in a quote stays as it is written.
    quote.append(...paragraph(inner));
    out.append(quote);
    return end;
  }
  const end = endOf(
    lines,
    i + 1,
    (each) => each.trim() !== '' && !/^\s{0,3}(`{3,}|~{3,}|#{1,6}\s|>)/.test(each) && listItem(each) === null,
  );
  out.append(el('p', {}, ...paragraph(lines.slice(i, end))));
  return end;
}

function endOf(lines: readonly string[], from: number, goesOn: (line: string) => boolean): number {
  let end = from;
  while (end < lines.length && goesOn(lines[end]!)) end++;
  return end;
}

function code(out: HTMLElement, lines: readonly string[], i: number, fence: string, language: string): number {
  const end = endOf(lines, i + 1, (each) => !each.trimStart().startsWith(fence));
  out.append(
    el(
      'pre',
      { 'data-language': language || undefined, tabindex: 0 },
      el('code', {}, lines.slice(i + 1, end).join('\n')),
    ),
  );
  return end + 1;
}

const listItem = (line: string) => /^(\s{0,12})([-*+]|\d{1,6}[.)])\s+(.*)$/.exec(line);

function list(out: HTMLElement, lines: readonly string[], i: number): number {
  const end = endOf(lines, i, (each) => listItem(each) !== null || /^\s{2,}\S/.test(each));
  const isOrdered = /\d/.test(listItem(lines[i]!)![2]!);
  const all = el(isOrdered ? 'ol' : 'ul');
  let item: HTMLLIElement | undefined;
  for (const line of lines.slice(i, end)) {
    const found = listItem(line);
    if (found === null) item?.append(' ', ...inline(line.trim()));
    else {
      item = el('li', { class: `depth${Math.min(4, Math.floor(found[1]!.length / 2))}` }, ...inline(found[3]!));
      all.append(item);
    }
  }
  out.append(all);
  return end;
}

function paragraph(lines: readonly string[]): (Node | string)[] {
  return lines.flatMap((line, i) => [...(i === 0 ? [] : [el('br')]), ...inline(line)]);
}

// Code first: nothing in it is markup. Each part is bounded, so that no text makes it slow.
const marks =
  /`([^`\n]{1,2000})`|\*\*([^*\n]{1,2000})\*\*|(?<![\w*])\*([^*\s][^*\n]{0,2000})\*(?![\w*])|\[([^\]\n]{1,500})\]\(([^)\s]{1,2000})\)/g;

function inline(text: string): (Node | string)[] {
  if (text.length > 20_000) return [text];
  const parts: (Node | string)[] = [];
  let at = 0;
  for (const found of text.matchAll(marks)) {
    if (found.index > at) parts.push(text.slice(at, found.index));
    const [whole, codeText, strong, emphasis, label, address] = found;
    if (codeText !== undefined) parts.push(el('code', {}, codeText));
    else if (strong !== undefined) parts.push(el('strong', {}, strong));
    else if (emphasis !== undefined) parts.push(el('em', {}, emphasis));
    else parts.push(el('span', { class: 'link', title: address }, label!), ` (${address})`);
    at = found.index + whole.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}
