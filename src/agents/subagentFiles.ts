// A session whose subagents write files of their own: all of them are one tree, the subagents' parts as side chains.
import path from 'node:path';
import type { ConversationNode, ConversationTree } from '../core/conversation/model';
import type { Followed } from '../core/conversation/transcript';
import { followLines, type TreeBuilder } from '../core/conversation/transcriptFollow';
import { entriesIn } from '../core/conversation/transcriptPlaces';
import type { Ports } from '../core/ports';

interface FollowedFiles extends Followed {
  readonly files: ReadonlyMap<string, Followed>;
}

const maxFiles = 1000;

/**
 * @param dir where the subagents' files are
 * @param make for the main file, or for a subagent's
 */
export function followSubagents(
  ports: Ports,
  main: string,
  dir: string,
  make: (isSubagent: boolean) => TreeBuilder,
  previous?: Followed,
): Followed {
  const known = (previous as FollowedFiles | undefined)?.files;
  const files = new Map<string, Followed>();
  for (const file of [main, ...jsonlIn(ports, dir, 2).slice(0, maxFiles)]) {
    files.set(
      file,
      followLines(ports, file, () => make(file !== main), known?.get(file)),
    );
  }
  const unchanged =
    known !== undefined && known.size === files.size && [...files].every(([file, one]) => known.get(file) === one);
  if (unchanged) return previous!;
  return { tree: joined(main, files), files } as FollowedFiles;
}

/** The files of records in a folder and the folders in it. */
export function jsonlIn(ports: Ports, dir: string, levels: number): string[] {
  return entriesIn(ports, dir).flatMap((entry) => {
    const file = path.join(dir, entry.name);
    if (entry.isDirectory()) return levels > 1 ? jsonlIn(ports, file, levels - 1) : [];
    return entry.name.endsWith('.jsonl') ? [file] : [];
  });
}

function joined(main: string, files: ReadonlyMap<string, Followed>): ConversationTree {
  const { nodes, damaged, ...rest } = files.get(main)!.tree;
  if (files.size === 1) return { nodes, damaged, ...rest };
  const taken = new Set(nodes.map(({ id }) => id));
  const all: ConversationNode[] = [...nodes];
  const damages = [...damaged];
  for (const [file, { tree }] of files) {
    if (file === main) continue;
    const name = path.basename(file);
    const renamed = new Map(tree.nodes.map(({ id }) => [id, taken.has(id) ? `${name}:${id}` : id]));
    for (const node of tree.nodes) {
      const id = renamed.get(node.id)!;
      taken.add(id);
      all.push({ ...node, id, parentId: node.parentId === null ? null : renamed.get(node.parentId)!, sidechain: true });
    }
    damages.push(...tree.damaged.map(({ line, reason }) => ({ line, reason: `${name}: ${reason}` })));
  }
  return { ...rest, nodes: all, damaged: damages };
}
