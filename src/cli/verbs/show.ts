// show: one checkpoint's metadata.
import { displayPath } from '../../core/restore/relativePath';
import { parseCheckpointId } from '../../core/store/ids';
import { isForeign } from '../../core/store/mac';
import type { Entry, Meta } from '../../core/store/meta';
import { stateText } from './changes';
import { namedCheckpoint } from '../../tools/reading';
import { localTime, safeLine, safeLines } from './screen';
import type { Verb } from './verb';

export const foreignWarning =
  'This checkpoint was not made by you on this computer: it may have come with a clone, or been changed. ' +
  'Look at it before you restore it; `restore` then needs --foreign.';

export const show: Verb = {
  name: 'show',
  usage: '<id>',
  summary: "one checkpoint's metadata",
  details: ['JSON: the checkpoint, as in its meta.json (docs/store-format.md).'],
  options: {},
  arguments: { min: 1, max: 1 },
  run(call) {
    const id = parseCheckpointId(call.positionals[0]!);
    const { meta } = namedCheckpoint(call.io.ports, call.root(), id);
    if (isForeign(call.io.ports, meta)) call.say(foreignWarning);
    return { json: meta, human: () => describe(meta) };
  },
};

function describe(meta: Meta): string {
  const { agent } = meta;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Checkpoint', meta.id],
    ['Made', localTime(meta.createdAt)],
    ['Kind', `${meta.kind}, ${meta.status}`],
    ['Agent', agent?.name],
    ['Session', agent?.session],
    ['Turn', agent?.turn],
    ['Tool', agent?.tool],
    ['Tool use', agent?.toolUse],
    ['Subagent', agent?.subagent],
    ['Label', meta.label],
    ['Group', meta.group],
    ['Takes back', meta.restores?.map(({ id, entry }) => `${id} entry ${entry}`).join(', ')],
  ];
  return [
    ...facts.filter(([, text]) => text !== undefined).map(([name, text]) => `${name.padEnd(11)} ${safeLine(text!)}`),
    ...(meta.prompt === undefined ? [] : ['', 'Prompt', ...indented(meta.prompt)]),
    '',
    'Files',
    ...meta.entries.flatMap(entryLines),
    ...(meta.entries.length === 0 ? ['  none'] : []),
    ...(meta.notCovered.length === 0 ? [] : ['', 'Not covered']),
    ...meta.notCovered.map(
      ({ path, reason }) => `  ${path === undefined ? '' : `${safeLine(displayPath(path))}: `}${safeLine(reason)}`,
    ),
  ].join('\n');
}

const indented = (text: string) =>
  safeLines(text)
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);

function entryLines(entry: Entry, index: number): string[] {
  const from = entry.renamedFrom === undefined ? '' : ` (renamed from ${safeLine(displayPath(entry.renamedFrom))})`;
  const post = entry.post === undefined ? 'not known' : stateText(entry.post);
  return [
    `  ${index}  ${safeLine(displayPath(entry.path))}${from}`,
    `       before: ${stateText(entry.pre)} (${entry.provenance})`,
    `       after:  ${post}${entry.post?.inferred === true ? ' (inferred: found later, perhaps not by the agent alone)' : ''}`,
  ];
}
