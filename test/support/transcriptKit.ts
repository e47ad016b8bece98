// What tests of transcripts share: trees in short, and files that are written as an agent would.
import * as fs from 'node:fs';
import path from 'node:path';
import { transcriptReader } from '../../src/agents/transcripts';
import type { ConversationTree } from '../../src/core/conversation/model';
import type { Followed } from '../../src/core/conversation/transcript';
import { temporaryRoot, testPorts } from './ports';

export const fixtureDir = path.join('test', 'fixtures', 'transcripts');

export interface Counts {
  readonly nodes: number;
  readonly roots: number;
  readonly forks: number;
  readonly leaf: string | undefined;
  readonly damaged: number;
}

export function countsOf({ nodes, leaf, damaged }: ConversationTree): Counts {
  const children = new Map<string, number>();
  for (const { parentId } of nodes) if (parentId !== null) children.set(parentId, (children.get(parentId) ?? 0) + 1);
  return {
    nodes: nodes.length,
    roots: nodes.filter(({ parentId }) => parentId === null).length,
    forks: [...children.values()].filter((count) => count > 1).length,
    leaf,
    damaged: damaged.length,
  };
}

let ports: ReturnType<typeof testPorts> | undefined;

export function readTranscript(agent: string, file: string, session?: string, previous?: Followed): Followed {
  const reader = transcriptReader(agent);
  if (reader === undefined) throw new Error(`no reader for ${agent}`);
  const name = session ?? path.basename(file).replace(/\.jsonl?$/, '');
  return reader.read((ports ??= testPorts()), { file, session: name }, previous);
}

/** Writes a file of its own and reads it. */
export function readBytes(agent: string, bytes: Uint8Array | string, name = 'session-x.jsonl'): ConversationTree {
  const file = path.join(temporaryRoot('transcript'), name);
  fs.writeFileSync(file, bytes);
  return readTranscript(agent, file).tree;
}

/** Each node in one line: its id, its parent's, what kind it is, and who says what in it. */
export const outline = ({ nodes }: ConversationTree): string[] =>
  nodes.map((node) => {
    const marks = [
      node.replaces && 'replaces',
      node.orphan && 'orphan',
      node.sidechain && 'sidechain',
      node.incomplete && 'incomplete',
    ];
    const said = node.messages.map(({ role, content, tool_calls: calls = [] }) => {
      const made = calls.map(({ name }) => `+${name}`).join('');
      return `${role}${made}:${content}`;
    });
    const kind = [node.kind, ...marks.filter((mark) => typeof mark === 'string')].join(' ');
    return `${node.id} < ${node.parentId} (${kind}) ${said.join(' | ')}`;
  });
