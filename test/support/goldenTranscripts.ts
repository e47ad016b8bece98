// Conversations of each agent, read from its own format, whose rebuilt contexts are kept as texts in test/golden/rebuild.
import path from 'node:path';
import type { ConversationNode, ConversationTree } from '../../src/core/conversation/model';
import type { GoldenTalk } from './goldenTalks';
import { fixtureDir, readTranscript } from './transcriptKit';

const files: Readonly<Record<string, readonly [agent: string, file: string]>> = {
  'from-claude-code': ['claude-code', 'garden.jsonl'],
  'from-codex': ['codex', 'sessions/2026/03/01/rollout-2026-03-01T09-00-00-0aaa.jsonl'],
  'from-codex-legacy': ['codex', 'legacy.jsonl'],
  'from-gemini': ['gemini', 'session-2026-03-01T09-00-aaaa.jsonl'],
  'from-qwen': ['qwen', 's-q.jsonl'],
  'from-opencode': ['opencode', 'export.json'],
  'from-pi': ['pi', 'v3.jsonl'],
  'from-cline': ['cline', 'sessions/9_x/9_x.messages.json'],
  'from-cline-task': ['cline', 'task/api_conversation_history.json'],
  'from-copilot-cli': ['copilot-cli', 'e1/events.jsonl'],
  'from-vscode': ['vscode', 'chatSessions/log.jsonl'],
  'from-vscode-transcript': ['vscode', 'transcripts/t1.jsonl'],
  'from-cursor': ['cursor', 'c1.jsonl'],
  'from-windsurf': ['windsurf', 'w1.jsonl'],
};

/** About the last two messages of each are kept. */
export const goldenTranscripts: Readonly<Record<string, GoldenTalk>> = Object.fromEntries(
  Object.entries(files).map(([name, [agent, file]]) => {
    const { tree } = readTranscript(agent, path.join(fixtureDir, agent, file));
    return [name, { path: pathToLeaf(tree), options: { keepTokens: 8 } }];
  }),
);

function pathToLeaf({ nodes, leaf }: ConversationTree): ConversationNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const found: ConversationNode[] = [];
  for (let id = leaf ?? null; id !== null; id = found[0]!.parentId) found.unshift(byId.get(id)!);
  return found;
}
