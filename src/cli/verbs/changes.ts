// What one entry changed, for people: in a word, and in lines.
import { displayPath } from '../../core/restore/relativePath';
import { diffStats } from '../../core/diff/stats';
import type { Ports } from '../../core/ports';
import type { CheckpointId } from '../../core/store/ids';
import type { StoreLayout } from '../../core/store/layout';
import type { Entry, Meta, State } from '../../core/store/meta';
import { bytesOrNone, stateBytes } from '../../tools/stateBytes';
import { safeLine, type Style } from './screen';

/** Files over this many bytes are not compared for a list. */
const maxCompared = 256 * 1024;

/** Most files of one checkpoint that a list names. */
const namedFiles = 2;

export function stateText(state: State): string {
  switch (state.type) {
    case 'file':
      return `file, ${state.size} bytes, mode ${state.mode.toString(8)}`;
    case 'symlink':
      return `link to ${safeLine(state.target)}`;
    case 'unreadable':
      return `unreadable (${safeLine(state.error)})`;
    case 'absent':
      return 'absent';
    case 'directory':
      return 'folder';
  }
}

/** `src/a.ts +3 -1, src/new.ts new +12, and 4 more`. */
export function filesText(ports: Ports, store: StoreLayout, meta: Meta, style: Style): string {
  const named = meta.entries.slice(0, namedFiles).map((entry) => fileText(ports, store, meta.id, entry, style));
  const more = meta.entries.length - named.length;
  if (named.length === 0) return style('dim', meta.notCovered.length > 0 ? 'nothing covered' : 'no files');
  return [...named, ...(more > 0 ? [style('dim', `and ${more} more`)] : [])].join(', ');
}

function fileText(ports: Ports, store: StoreLayout, id: CheckpointId, entry: Entry, style: Style): string {
  return [safeLine(displayPath(entry.path)), changeWord(entry), lineCounts(ports, store, id, entry, style)]
    .filter(Boolean)
    .join(' ');
}

function changeWord({ pre, post, renamedFrom }: Entry): string {
  if (renamedFrom !== undefined) return `renamed from ${safeLine(displayPath(renamedFrom))}`;
  if (post === undefined) return '';
  if (pre.type === 'absent' && post.type !== 'absent') return 'new';
  if (post.type === 'absent' && pre.type !== 'absent') return 'deleted';
  return '';
}

function lineCounts(ports: Ports, store: StoreLayout, id: CheckpointId, entry: Entry, style: Style): string {
  const { pre, post } = entry;
  if (post === undefined || [pre, post].some((state) => state.type === 'file' && state.size > maxCompared)) return '';
  try {
    const before = stateBytes(ports, store, id, pre);
    const after = stateBytes(ports, store, id, post);
    if (before === undefined || after === undefined) return '';
    const { added, removed, binary } = diffStats(bytesOrNone(before), bytesOrNone(after));
    if (binary) return 'binary';
    const counts = [added > 0 ? style('green', `+${added}`) : '', removed > 0 ? style('red', `-${removed}`) : ''];
    return counts.filter(Boolean).join(' ');
  } catch {
    return style('red', 'damaged');
  }
}
