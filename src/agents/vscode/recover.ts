// VS Code keeps the text of each file that a chat has changed, as it was before.
import path from 'node:path';
import type { RecoveredCall, RecoveredFile, RecoveredState } from '../../core/capture/recovered';
import {
  countOf,
  idOf,
  listOf,
  recordOf,
  recordsOf,
  textOf,
  timeOf,
  type JsonRecord,
} from '../../core/conversation/transcriptJson';
import { fileAt } from '../../core/conversation/transcriptPlaces';
import { parseDocument, readDocument } from '../../core/conversation/transcriptWhole';
import type { Ports } from '../../core/ports';
import { readBackup } from '../readBackup';
import type { Recover } from '../recover';
import { pathOfUri } from '../transcriptUri';
import { vscodeTranscripts } from './transcript';

export const recoverVscode: Recover = (ports, { agent, session, file, updatedAt }) => {
  // Both logs of a conversation are in the folder of its workspace.
  const storage = path.dirname(path.dirname(file));
  const workspace = path.basename(storage) === 'GitHub.copilot-chat' ? path.dirname(storage) : storage;
  const dir = path.join(workspace, 'chatEditingSessions', session);
  const stateFile = path.join(dir, 'state.json');
  const found = fileAt(ports, stateFile);
  if (found === undefined || !/^[\w.-]+$/.test(session)) return [];
  const state = recordOf(parseDocument(readDocument(ports, stateFile)));
  const content = (hash: unknown) =>
    typeof hash === 'string' && /^[0-9a-f]{1,64}$/.test(hash)
      ? readBackup(ports, path.join(dir, 'contents', hash))
      : undefined;
  const times = requestTimes(ports, workspace, session);
  const timeline = recordOf(state.timeline);
  const made = new Set(
    recordsOf(timeline.operations)
      .filter(({ type }) => type === 'create')
      .map(({ uri }) => pathOf(uri)),
  );
  const last = new Map<string, RecoveredState>();
  for (const entry of recordsOf(recordOf(state.recentSnapshot).entries)) {
    const name = pathOf(entry.resource);
    const now = entry.isDeleted === true ? 'absent' : content(entry.currentHash);
    if (name !== undefined && now !== undefined) last.set(name, now);
  }
  const calls: RecoveredCall[] = [];
  const add = (at: string, turn: string | undefined, change: RecoveredFile, epoch: number) => {
    const toolUse = `edit:${session}:${turn ?? ''}:${epoch}:${change.path}`.slice(0, 500);
    calls.push({ agent: { name: agent, session, toolUse, ...(turn !== undefined && { turn }) }, at, files: [change] });
  };
  const baselines = baselinesOf(timeline);
  baselines.forEach(({ name, text, request, epoch }, i) => {
    const next = baselines.slice(i + 1).find((one) => one.name === name);
    const post = next === undefined ? last.get(name) : Buffer.from(next.text);
    const first = baselines.findIndex((one) => one.name === name) === i;
    const pre = first && text === '' && made.has(name) ? ('absent' as const) : Buffer.from(text);
    const at = times.get(request ?? '') ?? new Date(found.mtimeMs - baselines.length + i).toISOString();
    add(at, request, { path: name, pre, ...(post !== undefined && { post }), provenance: 'agent-backup' }, epoch);
  });
  const told = new Set(baselines.map(({ name }) => name));
  for (const pair of listOf(state.initialFileContents)) {
    const [uri, hash] = listOf(pair);
    const name = pathOf(uri);
    const bytes = content(hash);
    if (name === undefined || bytes === undefined || told.has(name)) continue;
    const pre = bytes.length === 0 && made.has(name) ? ('absent' as const) : bytes;
    const post = last.get(name);
    const at = [...times.values()].sort()[0] ?? new Date(Math.min(found.mtimeMs, Date.parse(updatedAt))).toISOString();
    add(at, undefined, { path: name, pre, ...(post !== undefined && { post }), provenance: 'agent-backup' }, 0);
  }
  return calls.sort((a, b) => (a.at < b.at ? -1 : 1));
};

interface Baseline {
  readonly name: string;
  readonly text: string;
  readonly request: string | undefined;
  readonly epoch: number;
}

/** The text of a file when a request first touched it, oldest first. */
function baselinesOf(timeline: JsonRecord): Baseline[] {
  return listOf(timeline.fileBaselines)
    .map((pair) => recordOf(listOf(pair)[1]))
    .flatMap(({ uri, content, requestId, epoch }) => {
      const name = pathOf(uri);
      const text = textOf(content);
      return name === undefined || text === undefined
        ? []
        : [{ name, text, request: idOf(requestId), epoch: countOf(epoch) ?? 0 }];
    })
    .sort((a, b) => a.epoch - b.epoch);
}

/** A URI as text, or as the parts of one. */
function pathOf(uri: unknown): string | undefined {
  const { scheme, fsPath, path: inner, external } = recordOf(uri);
  if (typeof uri === 'string') return pathOfUri(uri);
  if (scheme !== undefined && scheme !== 'file') return undefined;
  return pathOfUri(external) ?? pathOfUri(fsPath) ?? pathOfUri(inner);
}

/** When each request was made, from the chat of the same session. */
function requestTimes(ports: Ports, workspace: string, session: string): Map<string, string> {
  const times = new Map<string, string>();
  for (const name of [`${session}.jsonl`, `${session}.json`]) {
    const file = path.join(workspace, 'chatSessions', name);
    if (fileAt(ports, file) === undefined) continue;
    for (const { id, ts } of vscodeTranscripts.read(ports, { file, session }).tree.nodes) {
      const at = timeOf(ts);
      if (at !== undefined && !times.has(id)) times.set(id, at);
    }
  }
  return times;
}
