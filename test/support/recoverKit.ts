// Records of agents laid out in a home of their own, and what is recovered from them.
import * as fs from 'node:fs';
import path from 'node:path';
import { recoverableSessions } from '../../src/agents/recovery';
import { recoveryIn, writeRecovery, type RecoveredState } from '../../src/core/capture/recovered';
import { listPage } from '../../src/core/store/reader';
import { rootStores } from '../../src/core/store/stores';
import { temporaryRoot, testPorts } from './ports';

export const time = (minute: number) => `2026-03-01T09:${String(minute).padStart(2, '0')}:00.000Z`;
export const jsonl = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
const text = (state: RecoveredState | undefined) => (typeof state === 'object' ? Buffer.from(state).toString() : state);

export function setUp() {
  const ports = testPorts();
  const [home, root] = [temporaryRoot('home'), temporaryRoot('root')];
  const put = (file: string, content: string | Uint8Array) => {
    fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
    fs.writeFileSync(path.join(home, file), content);
  };
  const write = (name: string, content: string | Uint8Array) => fs.writeFileSync(path.join(root, name), content);
  const at = (name: string) => path.join(root, name);
  const sessions = (agent?: string) => [
    ...recoverableSessions(ports, { env: {}, home, roots: [root], platform: 'linux' }, { agent }),
  ];
  /** Recovers all; gives the files of each checkpoint. */
  const recover = (dryRun = false) => {
    const recoverIn = recoveryIn(ports, root);
    return sessions().flatMap(({ calls }) => {
      const { checkpoints } = recoverIn(calls);
      return checkpoints.filter((planned) => dryRun || writeRecovery(ports, root, planned));
    });
  };
  const told = (agent: string) =>
    sessions(agent).flatMap(({ calls }) =>
      calls.flatMap(({ files }) =>
        files.map(({ path: file, pre, post, provenance }) => [
          path.relative(root, file),
          text(pre),
          text(post),
          provenance,
        ]),
      ),
    );
  const list = () => listPage(ports, rootStores(ports, root), { limit: 100 }).checkpoints;
  return { ports, home, root, put, write, at, sessions, recover, told, list };
}

/** A session of Claude Code with one call for each change. */
export function claude(
  root: string,
  id: string,
  changes: { tool: string; input: object; result: object; minute: number; use: string }[],
  more: unknown[] = [],
) {
  const base = { sessionId: id, cwd: root, isSidechain: false };
  return jsonl(
    {
      ...base,
      type: 'user',
      uuid: 'u',
      parentUuid: null,
      timestamp: time(0),
      promptId: 'p1',
      message: { role: 'user', content: 'Plant the beans' },
    },
    ...changes.flatMap(({ tool, input, result, minute, use }) => [
      {
        ...base,
        type: 'assistant',
        uuid: `a${use}`,
        parentUuid: 'u',
        timestamp: time(minute),
        message: { id: `m${use}`, content: [{ type: 'tool_use', id: use, name: tool, input }] },
      },
      {
        ...base,
        type: 'user',
        uuid: `r${use}`,
        parentUuid: `a${use}`,
        promptId: 'p1',
        timestamp: time(minute),
        message: { content: [{ type: 'tool_result', tool_use_id: use, content: 'ok' }] },
        toolUseResult: result,
      },
    ]),
    ...more,
  );
}
