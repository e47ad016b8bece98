// Names of virtual documents: ids only, never content and never an absolute path. Everything in a URI is untrusted:
// it is checked here, before any file call.
import * as vscode from 'vscode';
import { isCheckpointId, type CheckpointId } from '../../core/store/ids';
import { checkpointScheme } from '../contributions';

/** A state in a store: the one before or after entry `entry` of a checkpoint. */
export interface StoredSide {
  readonly type: 'stored';
  /** {@link HostRoot.hash} */
  readonly root: string;
  readonly id: CheckpointId;
  readonly entry: number;
  readonly side: 'pre' | 'post';
  /** Relative to the root; must be the entry's own. */
  readonly path: string;
}

/** What a path is now, or will be after a restore that is being decided; lives as long as the decision. */
export interface PlannedSide {
  readonly type: 'planned';
  /** Token of the plan. */
  readonly plan: string;
  readonly step: number;
  readonly side: 'now' | 'then';
  readonly path: string;
}

export type Side = StoredSide | PlannedSide;

const maxEntry = 1_000_000;

export function sideUri(side: Side): vscode.Uri {
  const query =
    side.type === 'stored'
      ? { root: side.root, id: side.id, entry: String(side.entry), side: side.side }
      : { plan: side.plan, side: side.side, step: String(side.step) };
  return vscode.Uri.from({
    scheme: checkpointScheme,
    path: `/${side.path}`,
    query: new URLSearchParams(query).toString(),
  });
}

/** Undefined for everything that {@link sideUri} does not make. */
export function parseSide(uri: vscode.Uri): Side | undefined {
  if (uri.scheme !== checkpointScheme || uri.authority !== '' || uri.fragment !== '') return undefined;
  if (!uri.path.startsWith('/') || uri.path.length > 8192) return undefined;
  const path = uri.path.slice(1);
  const query = new URLSearchParams(uri.query);
  const names = [...query.keys()].sort().join();
  const number = (name: string) => {
    const text = query.get(name) ?? '';
    return /^\d{1,7}$/.test(text) && Number(text) < maxEntry ? Number(text) : undefined;
  };
  const side = query.get('side');
  if (names === 'plan,side,step') {
    const plan = query.get('plan')!;
    const step = number('step');
    if (!/^[0-9a-f]{16}$/.test(plan) || step === undefined || (side !== 'now' && side !== 'then')) return undefined;
    return { type: 'planned', plan, step, side, path };
  }
  if (names !== 'entry,id,root,side') return undefined;
  const root = query.get('root')!;
  const id = query.get('id');
  const entry = number('entry');
  if (!/^[0-9a-f]{16}$/.test(root) || !isCheckpointId(id) || entry === undefined) return undefined;
  if (side !== 'pre' && side !== 'post') return undefined;
  return { type: 'stored', root, id, entry, side, path };
}
