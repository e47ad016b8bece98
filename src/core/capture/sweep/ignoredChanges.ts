// What rules of Git leave out is not copied before a command. What a command makes of it anew is covered all the same,
// within bounds; that something else happened to it is told where that is cheap to see.
import path from 'node:path';
import { look } from '../diskState';
import { protectedName } from '../protectedNames';
import { ignoredStamp } from './before';
import type { Changes } from './changes';
import { hasDotGit } from './repositories';

/** Paths of one kind that are told one by one. */
const maxTold = 100;
/** Names in one remark. */
const maxNamed = 10;

export function compareIgnored(changes: Changes): void {
  const { ports, record } = changes.input;
  const told: { relative: string; what: string }[] = [];
  for (const [relative, stamp] of Object.entries(record.ignored)) {
    const now = ignoredStamp(ports, record.root, relative);
    if (now !== stamp) told.push({ relative, what: now === '' ? 'it was removed' : 'it was changed' });
  }
  const left = { ...changes.input.limits.maxMade };
  for (const relative of changes.ignoredNow) {
    if (relative in record.ignored || changes.wasNoted(relative)) continue;
    if (!takeNew(changes, relative, left)) told.push({ relative, what: 'it is new' });
  }
  for (const { relative, what } of told.slice(0, maxTold)) {
    const more = relative.endsWith('/') ? ' (or something in it)' : '';
    changes.leave(relative.replace(/\/$/, ''), `${what}${more}, but Git ignores it, so it is not covered`);
  }
  if (told.length > maxTold) {
    changes.leave(undefined, `${told.length - maxTold} more ignored paths that changed are not covered`);
  }
  const folders = Object.keys(record.ignored).filter((name) => name.endsWith('/'));
  if (folders.length > 0) {
    const more = folders.length > maxNamed ? ` and ${folders.length - maxNamed} more` : '';
    const names = folders.slice(0, maxNamed).join(', ');
    changes.remarks.push({ reason: `what is in folders that Git ignores is not covered: ${names}${more}` });
  }
}

/** False where it is too much, or what was there before is not known; then nothing of it is covered. */
function takeNew(changes: Changes, relative: string, left: { files: number; bytes: number }): boolean {
  const { ports, record } = changes.input;
  if (!record.complete || changes.isPartial || changes.wasIgnored(relative.replace(/\/$/, ''))) return false;
  const found: string[] = [];
  const pending = [relative.replace(/\/$/, '')];
  let bytes = 0;
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const at = path.join(record.root, next);
    const { type, ...rest } = look(ports.fs, at);
    if (found.push(next) > left.files) return false;
    if (type === 'file') bytes += (rest as { size: number }).size;
    if (bytes > left.bytes) return false;
    if (type !== 'directory') continue;
    if (hasDotGit(ports, at)) return false;
    try {
      const names = ports.fs.readdirSync(at);
      if (names.some((name) => name.includes('\ufffd') || protectedName(name) !== undefined)) return false;
      pending.push(...names.map((name) => `${next}/${name}`));
    } catch {
      return false;
    }
  }
  left.files -= found.length;
  left.bytes -= bytes;
  found.forEach((each) => changes.addNew(each));
  changes.made.push(...found);
  return true;
}
