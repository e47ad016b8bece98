// What is at a path before a command: its kind and, for a file, a copy of its bytes.
import type { BigIntStats } from 'node:fs';
import path from 'node:path';
import type { Ports } from '../../ports';
import { look, reasonIn, reasonOf } from '../diskState';
import type { IgnoreRules } from '../ignoreRules';
import { ignoreFileName } from '../ignoreRules';
import { worthKeeping, type CopyWriter } from './copies';
import type { SweepLimits } from './limits';
import type { CopyRef, Noted, SweepRecord } from './record';

/** An older sweep, whose copies are taken over where nothing changed. */
export interface EarlierSweep {
  readonly folder: string;
  readonly record: SweepRecord;
}

export interface NoteContext {
  readonly ports: Ports;
  readonly root: string;
  readonly limits: SweepLimits;
  readonly copies: CopyWriter;
  readonly earlier: EarlierSweep | undefined;
  readonly leftOut: IgnoreRules;
}

/** ms: a write that follows so closely may leave the same times. */
const racyTime = 50;

export const stampOf = ({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string =>
  [dev, ino, size, mode, mtimeNs, ctimeNs].join(':');

/** Undefined where nothing is there, or it cannot be looked at. */
export function statOf({ fs }: Ports, file: string): BigIntStats | undefined {
  try {
    return fs.lstatSync(file, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/**
 * Notes paths (relative to the root) in their order, until a bound is reached: what is small and known to Git comes
 * first. `more` gets the paths that were not looked at.
 */
export function noteAll(
  context: NoteContext,
  paths: readonly string[],
): { files: Record<string, Noted>; more: string[] } {
  const { ports, root, limits, copies, earlier } = context;
  const { copyTime, maxBytes, maxFiles } = limits;
  const files: Record<string, Noted> = Object.create(null) as Record<string, Noted>;
  const deadline = performance.now() + copyTime;
  const kept = worthKeeping(copiesIn(earlier?.record));
  let bytes = 0;
  const copyOf = (relative: string, absolute: string, stat: BigIntStats, stamp: string): Noted => {
    const mode = Number(stat.mode) & 0o7777;
    const racy = ports.now() - Number(stat.ctimeNs / 1_000_000n) < racyTime;
    const base = { type: 'file' as const, stamp, mode, ...(racy && { racy: true as const }) };
    if (context.leftOut(relative)) return { ...base, reason: `it is matched by ${ignoreFileName}` };
    if (stat.size > limits.maxFileBytes) {
      return { ...base, reason: `it is larger than the limit of ${limits.maxFileBytes} bytes` };
    }
    const known = earlier?.record.files[relative];
    if (known?.type === 'file' && known.copy && !known.racy && known.stamp === stamp && kept.has(known.copy.pack)) {
      if (copies.reuse(earlier!.folder, known.copy)) return { ...base, copy: known.copy };
    }
    if (bytes + Number(stat.size) > maxBytes) {
      return { ...base, reason: `what Git does not hold is more than ${maxBytes} bytes; only a part is copied` };
    }
    if (performance.now() > deadline) return { ...base, reason: 'copying what Git does not hold took too long' };
    try {
      const copy = copies.add(absolute);
      bytes += copy.length;
      return { ...base, copy };
    } catch (error) {
      return { ...base, reason: `it could not be read: ${reasonOf(error)}` };
    }
  };
  for (const relative of paths.slice(0, maxFiles)) {
    const absolute = path.join(root, relative);
    const found = look(ports.fs, absolute);
    if (found.type === 'file') {
      const stat = statOf(ports, absolute);
      files[relative] = stat?.isFile()
        ? copyOf(relative, absolute, stat, stampOf(stat))
        : { type: 'special', reason: 'it changed while it was looked at' };
    } else if (found.type === 'symlink') files[relative] = { type: 'symlink', target: found.target };
    else if (found.type === 'special' || found.type === 'unreadable')
      files[relative] = { type: 'special', reason: reasonIn(found)! };
    else files[relative] = { type: found.type };
  }
  return { files, more: paths.slice(maxFiles) };
}

export function copiesIn(record: SweepRecord | undefined): CopyRef[] {
  return Object.values(record?.files ?? {}).flatMap((noted) =>
    noted.type === 'file' && noted.copy ? [noted.copy] : [],
  );
}
