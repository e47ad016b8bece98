// Our entries in the `hooks` of a configuration text. Pure: text in, text out, and everything else in it stays.
import { applyEdits, modify, parse, type FormattingOptions, type JSONPath, type ParseError } from 'jsonc-parser';
import { isOurCommand } from './hookCommand';

/** The command is under `command`, or under `bash` with another one for Windows. */
export type HookEntry = Readonly<Record<string, unknown>>;

/** What an agent reads beside plain JSON. */
export type Syntax = 'json' | 'comments' | 'comments-and-trailing-commas';

/** What is to stand under `hooks`. */
export interface HookLayout {
  /** Claude Code groups entries under a matcher; VS Code lists them. */
  readonly grouped: boolean;
  readonly syntax: Syntax;
  /** What the agent wants beside `hooks`: added where it is missing. */
  readonly base?: Readonly<Record<string, unknown>>;
  readonly events: Readonly<Record<string, { readonly entry: HookEntry; readonly matcher?: string }>>;
}

/** The text does not hold what the agent itself would read; the message says why. */
export class UnreadableHooks extends Error {}

/** The configuration as a value. @throws UnreadableHooks */
export function readHooks(text: string, { syntax }: Pick<HookLayout, 'syntax'>): Record<string, unknown> {
  if (text.trim() === '') return {};
  const value = syntax === 'json' ? parseStrict(text) : parseWithComments(text, syntax !== 'comments');
  if (!isRecord(value)) throw new UnreadableHooks('it is not a JSON object');
  if (value.hooks !== undefined && !isRecord(value.hooks)) throw new UnreadableHooks('"hooks" in it is not an object');
  for (const [event, list] of Object.entries(value.hooks ?? {})) {
    if (!Array.isArray(list)) throw new UnreadableHooks(`"hooks.${event}" in it is not a list`);
  }
  return value;
}

/** The text with our entries, one an event. The same text where they are there already. @throws UnreadableHooks */
export function addEntries(text: string, layout: HookLayout): string {
  const value = readHooks(text, layout);
  if (text.trim() === '') return freshText(layout);
  if (isComplete(value, layout)) return text;
  let result = removeEntries(text, layout, () => true);
  for (const [key, value] of Object.entries(layout.base ?? {})) {
    if (!Object.hasOwn(readHooks(result, layout), key)) result = edit(result, [key], value);
  }
  for (const [event, desired] of Object.entries(layout.events)) {
    const path = ['hooks', event];
    const there = Array.isArray(at(readHooks(result, layout), path));
    const item = desiredItem(layout, desired);
    result = there ? edit(result, [...path, -1], item, true) : edit(result, path, [item]);
  }
  // With a key written twice the last one counts for the agent, the first one for the edit.
  if (!isComplete(readHooks(result, layout), layout)) throw new UnreadableHooks('a key in it is there twice');
  return result;
}

/**
 * The text without our entries, and without the containers that this leaves empty.
 *
 * @param keep whether an empty `hooks` or event list stays, because it was there before us
 * @throws UnreadableHooks
 */
export function removeEntries(text: string, layout: HookLayout, keep: (path: JSONPath) => boolean): string {
  let result = text;
  for (const path of ourPaths(readHooks(text, layout), layout).reverse()) {
    result = edit(result, path, undefined);
    const containers = [...(layout.grouped ? [path.slice(0, 3)] : []), path.slice(0, 2), path.slice(0, 1)];
    for (const container of containers) {
      const isGroup = container.length === 3;
      const left = at(readHooks(result, layout), isGroup ? [...container, 'hooks'] : container);
      if (hasItems(left) || (!isGroup && keep(container))) break;
      result = edit(result, container, undefined);
    }
  }
  return result;
}

/** True where each event has our entry as it is to be, and nothing else of ours is there. */
export function isComplete(value: Record<string, unknown>, layout: HookLayout): boolean {
  const paths = ourPaths(value, layout);
  const events = Object.entries(layout.events);
  return (
    Object.keys(layout.base ?? {}).every((key) => Object.hasOwn(value, key)) &&
    paths.length === events.length &&
    events.every(([event, desired]) =>
      paths.some((path) => path[1] === event && same(at(value, path.slice(0, 3)), desiredItem(layout, desired))),
    )
  );
}

/** True where the configuration holds nothing but what we put there beside our entries. */
export const isBare = (value: Record<string, unknown>, { base = {} }: HookLayout) =>
  Object.keys(value).every((key) => Object.hasOwn(base, key) && same(value[key], base[key]));

export const hasEntries = (value: Record<string, unknown>, layout: HookLayout) => ourPaths(value, layout).length > 0;

const isOurs = (entry: HookEntry) => isOurCommand(entry.command) || isOurCommand(entry.bash);

/** Where our entries are, in the order of the text. */
function ourPaths(value: Record<string, unknown>, { grouped }: HookLayout): JSONPath[] {
  const paths: JSONPath[] = [];
  for (const [event, list] of Object.entries(isRecord(value.hooks) ? value.hooks : {})) {
    (list as unknown[]).forEach((item, i) => {
      if (!isRecord(item)) return;
      if (!grouped && isOurs(item)) paths.push(['hooks', event, i]);
      if (!grouped || !Array.isArray(item.hooks)) return;
      item.hooks.forEach((entry: unknown, j) => {
        if (isRecord(entry) && isOurs(entry)) paths.push(['hooks', event, i, 'hooks', j]);
      });
    });
  }
  return paths;
}

function desiredItem({ grouped }: HookLayout, { entry, matcher }: HookLayout['events'][string]): unknown {
  if (!grouped) return entry;
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [entry] };
}

function freshText(layout: HookLayout): string {
  const hooks = Object.fromEntries(
    Object.entries(layout.events).map(([event, desired]) => [event, [desiredItem(layout, desired)]]),
  );
  return `${JSON.stringify({ ...layout.base, hooks }, undefined, 2)}\n`;
}

function edit(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  return applyEdits(text, modify(text, path, value, { formattingOptions: styleOf(text), isArrayInsertion }));
}

/** The text's own line ends and indentation. */
function styleOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { eol, insertSpaces: !indent.startsWith('\t'), tabSize: indent.startsWith('\t') ? 1 : indent.length };
}

function parseStrict(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UnreadableHooks(`it is not valid JSON (${error instanceof Error ? error.message : String(error)})`);
  }
}

function parseWithComments(text: string, allowTrailingComma: boolean): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma });
  if (errors.length > 0) throw new UnreadableHooks(`it is not valid JSON (near offset ${errors[0]!.offset})`);
  return value;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const hasItems = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;
const at = (value: unknown, path: JSONPath): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);

/** Equal as JSON, whatever the order of keys. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const keys = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && same(at(a, [key]), at(b, [key])))
  );
}
