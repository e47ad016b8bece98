// Claude Code's results hold the text of a file before an edit; its own backups, where there are any, the very bytes.
import path from 'node:path';
import { canonical, derive } from '../../core/capture/expected';
import type { RecoveredCall, RecoveredFile, RecoveredState } from '../../core/capture/recovered';
import { idOf, recordOf, textOf, timeOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { folderFrom } from '../../core/conversation/transcriptPlaces';
import type { ToolCall } from '../../core/conversation/model';
import type { Ports } from '../../core/ports';
import { blocksOf } from '../messageBlocks';
import { eachRecord } from '../eachRecord';
import { readBackup } from '../readBackup';
import type { Recover } from '../recover';
import { jsonlIn } from '../subagentFiles';
import { writesOf } from '../tools';

interface Backup {
  readonly path: string;
  readonly state: RecoveredState;
  readonly at: string;
  readonly message: string;
  used: boolean;
}

export const recoverClaude: Recover = (ports, { agent, session, file, cwd = '/' }, places) => {
  const blobs = path.join(folderFrom(places, 'CLAUDE_CONFIG_DIR', '.claude'), 'file-history', session);
  const reading = new Reading(ports, agent, session, cwd, blobs, places.home);
  const subagents = path.join(file.replace(/\.jsonl$/, ''), 'subagents');
  for (const one of [file, ...jsonlIn(ports, subagents, 2)]) eachRecord(ports, one, (record) => reading.add(record));
  return reading.calls();
};

class Reading {
  private readonly requests = new Map<string, ToolCall>();
  private readonly found: RecoveredCall[] = [];
  private readonly backups = new Map<string, Backup>();
  private readonly prompts = new Map<string, string>();
  private prompt: string | undefined;

  constructor(
    private readonly ports: Ports,
    private readonly agent: string,
    private readonly session: string,
    private readonly cwd: string,
    private readonly blobs: string,
    private readonly home: string,
  ) {}

  add(record: JsonRecord): void {
    if (record.type === 'file-history-snapshot') this.snapshot(recordOf(record.snapshot));
    if (record.type === 'file-history-delta')
      this.backup(textOf(record.trackingPath), recordOf(record.backup), idOf(record.snapshotMessageId) ?? '');
    const blocks = blocksOf(recordOf(record.message).content);
    if (record.type === 'assistant') for (const call of blocks.calls) this.requests.set(call.id, call);
    if (record.type !== 'user') return;
    const [answer] = blocks.results;
    if (answer === undefined) {
      if (record.isMeta !== true && record.isSidechain !== true) this.prompt = blocks.text;
      const id = idOf(record.uuid);
      if (id !== undefined) this.prompts.set(id, blocks.text);
      return;
    }
    const call = this.requests.get(answer.tool_call_id ?? '');
    const at = timeOf(record.timestamp);
    if (call === undefined || at === undefined || answer.is_error === true) return;
    const change = this.changeIn(call, recordOf(record.toolUseResult));
    if (change === undefined) return;
    const turn = idOf(record.promptId);
    const subagent = idOf(record.agentId);
    this.found.push({
      agent: {
        name: this.agent,
        session: this.session,
        tool: call.name.slice(0, 200),
        toolUse: call.id,
        ...(turn !== undefined && { turn }),
        ...(subagent !== undefined && { subagent }),
      },
      at,
      ...(this.prompt !== undefined && { prompt: this.prompt }),
      files: [change],
    });
  }

  private changeIn(call: ToolCall, result: JsonRecord): RecoveredFile | undefined {
    const [write, ...more] = writesOf(call.name, call.arguments, this.cwd, this.home);
    const named = textOf(result.filePath);
    if (write === undefined || more.length > 0 || named === undefined) return undefined;
    const before = result.originalFile ?? result.originalFileContents;
    // Only where the result says so itself: in newer versions the text may be left out.
    const created = before === null ? 'originalFile' in result : result.type === 'create' && before === undefined;
    const text = textOf(before);
    if (text === undefined && !created) return undefined;
    const pre = text === undefined ? 'absent' : Buffer.from(text);
    const expected = result.userModified === true ? undefined : write.expected;
    const derived = expected === undefined ? undefined : derive(pre === 'absent' ? undefined : pre, expected);
    const post = derived === 'directory' ? undefined : derived;
    const file = write.path;
    return {
      path: file,
      pre,
      ...(post !== undefined && { post: contentOf(expected, post) }),
      provenance: 'transcript',
    };
  }

  private snapshot({ messageId, trackedFileBackups }: JsonRecord): void {
    for (const [tracked, backup] of Object.entries(recordOf(trackedFileBackups)))
      this.backup(tracked, recordOf(backup), idOf(messageId) ?? '');
  }

  private backup(tracked: string | undefined, backup: JsonRecord, message: string): void {
    const name = backup.backupFileName;
    const at = timeOf(backup.backupTime);
    if (tracked === undefined || at === undefined) return;
    const file = path.resolve(this.cwd, tracked);
    const key = `${file}\n${typeof name === 'string' ? name : at}`;
    if (this.backups.has(key)) return;
    if (name === null) this.backups.set(key, { path: file, state: 'absent', at, message, used: false });
    if (typeof name !== 'string' || !/^[\w@.-]{1,200}$/.test(name)) return;
    const bytes = readBackup(this.ports, path.join(this.blobs, name));
    if (bytes !== undefined) this.backups.set(key, { path: file, state: bytes, at, message, used: false });
  }

  calls(): RecoveredCall[] {
    const byPath = new Map<string, Backup[]>();
    for (const backup of this.backups.values()) byPath.set(backup.path, [...(byPath.get(backup.path) ?? []), backup]);
    const calls = this.found.map((call) => ({
      ...call,
      files: call.files.map((file) => exact(file, byPath.get(file.path) ?? [])),
    }));
    return [...calls, ...this.ownBackups()].sort((a, b) => (a.at < b.at ? -1 : 1));
  }

  /** Backups of what no result tells: changed by a tool whose results hold no text. */
  private ownBackups(): RecoveredCall[] {
    const told = new Set(this.found.flatMap(({ files }) => files.map(({ path: file }) => file)));
    return [...this.backups.values()]
      .filter(({ used, state, path: file }) => !used && (state !== 'absent' || !told.has(file)))
      .map(({ path: file, state, at, message }) => {
        const prompt = this.prompts.get(message);
        return {
          agent: {
            name: this.agent,
            session: this.session,
            toolUse: `backup:${this.session}:${path.relative(this.cwd, file)}:${at}`.slice(0, 500),
          },
          at,
          ...(prompt !== undefined && { prompt }),
          files: [{ path: file, pre: state, provenance: 'agent-backup' as const }],
        };
      });
  }
}

/** The bytes of a content are the tool's own, with the line ends that it was given. */
const contentOf = (
  expected: { readonly type: string; readonly text?: unknown } | undefined,
  derived: RecoveredState,
) => (expected?.type === 'content' && typeof expected.text === 'string' ? Buffer.from(expected.text) : derived);

/** With the bytes of a backup that holds the same text: a transcript does not keep line ends and marks. */
function exact(file: RecoveredFile, backups: readonly Backup[]): RecoveredFile {
  const backup = backups.find(({ state }) => sameText(state, file.pre));
  if (backup === undefined) return file;
  backup.used = true;
  if (backup.state === 'absent' || file.pre === 'absent') return { ...file, provenance: 'agent-backup' };
  const same = Buffer.compare(backup.state, file.pre) === 0;
  const { post, ...rest } = file;
  // What the tool made of other line ends is not told.
  return {
    ...rest,
    pre: backup.state,
    ...((same || post === 'absent') && post !== undefined && { post }),
    provenance: 'agent-backup',
  };
}

function sameText(a: RecoveredState, b: RecoveredState): boolean {
  if (a === 'absent' || b === 'absent') return a === b;
  return Buffer.compare(canonical(Buffer.from(a)), canonical(Buffer.from(b))) === 0;
}
