// Changing single fields of a record in its own text: everything else stays byte for byte, numbers that JavaScript
// cannot hold and halves of characters included.

/**
 * @param text one JSON object
 * @param changes by name of the field, what stands there instead, as JSON; a field that is not there is not added
 */
export function withTopLevel(text: string, changes: Readonly<Record<string, string>>): string {
  let out = '';
  let copied = 0;
  for (const { name, from, to } of topLevelFields(text)) {
    if (!Object.hasOwn(changes, name)) continue;
    out += text.slice(copied, from) + changes[name];
    copied = to;
  }
  return out + text.slice(copied);
}

interface Field {
  readonly name: string;
  /** Of the value. */
  readonly from: number;
  readonly to: number;
}

function* topLevelFields(text: string): Generator<Field> {
  let at = text.indexOf('{') + 1;
  if (at === 0) return;
  for (;;) {
    at = skip(text, at);
    if (text[at] !== '"') return;
    const end = endOfString(text, at);
    const name = keyIn(text.slice(at, end));
    at = skip(text, end);
    if (text[at] !== ':' || name === undefined) return;
    const from = skip(text, at + 1);
    const to = endOfValue(text, from);
    yield { name, from, to };
    at = skip(text, to);
    if (text[at] !== ',') return;
    at++;
  }
}

function skip(text: string, at: number): number {
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return at;
}

/** Behind the quote that ends the string that begins at `at`. */
function endOfString(text: string, at: number): number {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === 0x22) return i + 1;
  }
  return text.length;
}

function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < text.length; i++) {
    const char = text[i]!;
    if (char === '"') {
      i = endOfString(text, i) - 1;
      continue;
    }
    if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') {
      if (depth === 0) return trimEnd(text, from, i);
      depth--;
    } else if (char === ',' && depth === 0) return trimEnd(text, from, i);
  }
  return text.length;
}

function trimEnd(text: string, from: number, to: number): number {
  while (to > from && text.charCodeAt(to - 1) <= 0x20) to--;
  return to;
}

function keyIn(json: string): string | undefined {
  try {
    const key: unknown = JSON.parse(json);
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}
