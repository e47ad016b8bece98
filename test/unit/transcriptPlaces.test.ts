// Where each agent keeps its transcripts, and what is told of them without reading them.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import path from 'node:path';
import { transcriptReader, transcriptReaders } from '../../src/agents/transcripts';
import { temporaryRoot, testPorts } from '../support/ports';
import { fixtureDir, readTranscript } from '../support/transcriptKit';

describe('where transcripts are', () => {
  const lay = (home: string, from: string, to: string) => {
    fs.mkdirSync(path.dirname(path.join(home, to)), { recursive: true });
    fs.cpSync(path.join(fixtureDir, from), path.join(home, to), { recursive: true });
  };

  function home(): string {
    const dir = temporaryRoot('home');
    lay(dir, 'claude-code/garden.jsonl', '.claude/projects/-w-garden/garden.jsonl');
    lay(dir, 'claude-code/garden', '.claude/projects/-w-garden/garden');
    lay(dir, 'codex/sessions', '.codex/sessions');
    lay(
      dir,
      'gemini/session-2026-03-01T09-00-aaaa.jsonl',
      '.gemini/tmp/garden/chats/session-2026-03-01T09-00-aaaa.jsonl',
    );
    fs.writeFileSync(path.join(dir, '.gemini/tmp/garden/.project_root'), '/w/garden');
    lay(dir, 'qwen/s-q.jsonl', '.qwen/projects/-w-garden/chats/s-q.jsonl');
    lay(dir, 'pi/v3.jsonl', '.pi/agent/sessions/--w-garden--/v3.jsonl');
    lay(dir, 'opencode/storage', '.local/share/opencode/storage');
    lay(dir, 'cline/sessions', '.cline/data/sessions');
    lay(dir, 'cline/task', '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1772355600000');
    lay(dir, 'copilot-cli/e1', '.copilot/session-state/e1');
    const workspace = '.config/Code/User/workspaceStorage/aa11';
    lay(dir, 'vscode/chatSessions', `${workspace}/chatSessions`);
    lay(dir, 'vscode/transcripts', `${workspace}/GitHub.copilot-chat/transcripts`);
    fs.writeFileSync(path.join(dir, workspace, 'workspace.json'), '{"folder":"file:///w/garden"}');
    lay(dir, 'cursor/c1.jsonl', '.cursor/projects/w-garden/agent-transcripts/c1/c1.jsonl');
    lay(dir, 'windsurf/w1.jsonl', '.windsurf/transcripts/w1.jsonl');
    return dir;
  }

  const found = (dir: string, agent: string, roots?: string[]) =>
    transcriptReader(agent)!.locate(testPorts(), { env: {}, home: dir, roots, platform: 'linux' });

  it('finds each agent’s sessions with folder and title, and reads what it finds', () => {
    const dir = home();
    const expected: Record<string, [session: string, title: string | undefined, nodes: number][]> = {
      'claude-code': [['garden', 'A garden', 15]],
      codex: [
        ['0aaa', 'Plant the beans', 11],
        ['0bbb', 'Instead, tulips', 6],
      ],
      gemini: [['aaaa-1', 'Plant the beans', 10]],
      qwen: [['s-q', 'Plant', 6]],
      pi: [['s-pi', 'Plant', 8]],
      opencode: [['ses_2', 'Old garden', 2]],
      cline: [
        ['1772355600000', 'Plant', 3],
        ['9_x', 'Garden', 4],
      ],
      'copilot-cli': [['e1', 'Plant', 8]],
      vscode: [
        ['doc', 'Doc', 3],
        ['log', 'Plant', 5],
        ['t1', 'Plant', 3],
      ],
      cursor: [['c1', 'Plant', 3]],
      windsurf: [['w1', 'Plant', 3]],
    };
    for (const [agent, sessions] of Object.entries(expected)) {
      const all = found(dir, agent, ['/w/garden']);
      assert.ok(
        all.every(({ cwd, size, updatedAt }) => cwd === '/w/garden' && size > 0 && updatedAt > '2026'),
        agent,
      );
      const seen = all.map((one) => [
        one.session,
        one.title,
        readTranscript(agent, one.file, one.session).tree.nodes.length,
      ]);
      assert.deepEqual(seen.sort(), sessions, agent);
      assert.equal(found(dir, agent).length, sessions.length, agent);
      if (agent !== 'cursor' && agent !== 'windsurf') assert.deepEqual(found(dir, agent, ['/w/other']), [], agent);
    }
  });

  it('gives the newest first', () => {
    const dir = home();
    const [old] = found(dir, 'codex').filter(({ session }) => session === '0bbb');
    fs.utimesSync(old!.file, 1, 1);
    assert.deepEqual(
      found(dir, 'codex').map(({ session }) => session),
      ['0aaa', '0bbb'],
    );
    fs.utimesSync(old!.file, 9e9, 9e9);
    assert.deepEqual(
      found(dir, 'codex').map(({ session }) => session),
      ['0bbb', '0aaa'],
    );
  });

  it('finds nothing, without an error, where there is nothing', () => {
    const dir = temporaryRoot('home');
    for (const { agent } of transcriptReaders) assert.deepEqual(found(dir, agent), [], agent);
  });

  it('follows the variables that move an agent’s folder', () => {
    const dir = home();
    const env = { CLAUDE_CONFIG_DIR: path.join(dir, '.claude'), CODEX_HOME: path.join(dir, '.codex') };
    for (const agent of ['claude-code', 'codex']) {
      const elsewhere = transcriptReader(agent)!.locate(testPorts(), { env, home: temporaryRoot('home') });
      assert.ok(elsewhere.length > 0, agent);
    }
  });
});
