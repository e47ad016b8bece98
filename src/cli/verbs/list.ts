// list: the timeline, newest first.
import type { Meta } from '../../core/store/meta';
import type { ListedCheckpoint } from '../../core/store/reader';
import type { RootStores } from '../../core/store/stores';
import { filesText } from './changes';
import { asListed, listCheckpoints, type Listed, type Wanted } from '../../tools/list';
import { columnsOf, counted, cut, localTime, padEnd, safeLine, styleFor, type Style } from './screen';
import { UsageError } from '../../tools/usage';
import { textOption, type CliIo, type Verb, type VerbCall } from './verb';

/** Rows that a person gets without --limit. */
const screenful = 50;

export const list: Verb = {
  name: 'list',
  usage: '[--file P] [--session S] [--limit N]',
  summary: 'the checkpoints, newest first',
  details: [
    '--file P       only those that touched this file, or a file in this folder (relative to the root, or absolute)',
    "--session S    only those of this session of an agent, by the agent's own id",
    `--limit N      at most N (default: ${screenful} for a person, all with --json)`,
    'JSON: {checkpoints: [meta + {root, pinned, bytes}], damaged: [{id, reason}]}.',
  ],
  options: { file: { type: 'string' }, session: { type: 'string' }, limit: { type: 'string' } },
  run(call) {
    const { io } = call;
    const limit = limitOption(call) ?? (call.json ? Infinity : screenful);
    const root = call.root();
    const { stores, ...found } = listCheckpoints(io.ports, root, { ...wantedOf(call), limit });
    return {
      json: { checkpoints: found.checkpoints.map(asListed), damaged: found.damaged },
      human: () => table(io, root, stores, found),
    };
  },
};

function limitOption(call: VerbCall): number | undefined {
  const text = textOption(call, 'limit');
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError(`--limit takes a whole number from 1, not ${JSON.stringify(text)}.`);
  return Number(text);
}

function wantedOf(call: VerbCall): Pick<Wanted, 'file' | 'session'> {
  const file = textOption(call, 'file');
  const session = textOption(call, 'session');
  return { ...(file === undefined ? {} : { file }), ...(session === undefined ? {} : { session }) };
}

function table(io: CliIo, root: string, stores: RootStores, found: Omit<Listed, 'stores'>): string {
  const style = styleFor(io.stdout, io.env);
  const width = columnsOf(io.stdout);
  const lines: string[] = [];
  let turn: string | undefined;
  for (const checkpoint of found.checkpoints) {
    const key = turnKey(checkpoint);
    if (key !== turn) lines.push(...(turn === undefined ? [] : ['']), heading(checkpoint, width, style));
    turn = key;
    lines.push(row(io, stores, checkpoint, style));
  }
  if (lines.length === 0) lines.push(`No checkpoints in ${safeLine(root)} yet. \`install <agent>\` sets an agent up.`);
  for (const { id, reason } of found.damaged)
    lines.push(style('red', `  ${safeLine(id)}  damaged: ${safeLine(reason)}`));
  if (found.next !== undefined) lines.push('', style('dim', 'There are older ones: --limit N shows more.'));
  return lines.join('\n');
}

/** Neighbours with the same key stand under one heading. */
const turnKey = ({ id, agent }: Meta): string =>
  agent?.turn === undefined ? id : JSON.stringify([agent.name, agent.session, agent.turn]);

function heading(meta: Meta, width: number, style: Style): string {
  const who = safeLine(meta.agent?.name ?? (meta.kind === 'restore' ? 'restore' : 'by hand'));
  const what = firstLine(meta.prompt ?? meta.label ?? '');
  const text = what === '' ? '' : `  ${cut(safeLine(what), Math.max(10, width - who.length - 23))}`;
  return `${style('dim', localTime(meta.createdAt))}  ${style('bold', who)}${text}`;
}

const firstLine = (text: string) => text.trim().split(/[\r\n]/, 1)[0]!;

function row(io: CliIo, stores: RootStores, checkpoint: ListedCheckpoint, style: Style): string {
  const store = checkpoint.fallback ? stores.fallback : stores.primary;
  const tool = padEnd(cut(safeLine(checkpoint.agent?.tool ?? checkpoint.kind), 22), 10);
  const files = filesText(io.ports, store, checkpoint, style);
  return `  ${style('cyan', checkpoint.id)}  ${tool}  ${[files, ...marks(checkpoint, style)].join('  ')}`;
}

function marks(checkpoint: ListedCheckpoint, style: Style): string[] {
  const { status, pinned, foreign, fallback, notCovered } = checkpoint;
  return [
    ...(status === 'done' ? [] : [style('dim', `[${status}]`)]),
    ...(pinned ? [style('yellow', '[pinned]')] : []),
    ...(foreign ? [style('yellow', '[foreign]')] : []),
    ...(fallback ? [style('dim', '[kept in user state]')] : []),
    ...(notCovered.length > 0 ? [style('yellow', `[${counted(notCovered.length, 'path')} not covered]`)] : []),
  ];
}
