// What a caller hands in: a checkpoint whose blobs are not stored yet.
import type { CheckpointId } from './ids';
import type { KnownBlob } from './lastBlob';
import type { AgentInfo, Meta, NotCovered, Provenance, RelativePath, State } from './meta';

/** Where a blob's bytes come from. Each source is read once: the recorded hash is that of the stored bytes. */
export type BlobSource =
  /** `sha256`: of these very bytes, where the caller has just worked it out. `same`: a blob that should hold them too. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array; readonly sha256?: string; readonly same?: KnownBlob }
  /** Absolute real path of a plain file; never followed if it is a link. Large ones are cloned where that is free. */
  | { readonly type: 'file'; readonly path: string }
  /**
   * Absolute path of a blob; linked inside one store, copied from another. Its hash is verified, unless the caller has
   * just done that.
   */
  | ({ readonly type: 'link' } & Pick<KnownBlob, 'path' | 'sha256' | 'size' | 'verified'>);

/** A state whose blob is to be stored. Without `mode`, that of the source file is recorded. */
export type DraftState =
  | { readonly type: 'file'; readonly mode?: number; readonly source: BlobSource; readonly inferred?: boolean }
  | Exclude<State, { type: 'file' }>;

export interface DraftEntry {
  readonly path: RelativePath;
  readonly pre: DraftState;
  readonly post?: DraftState;
  readonly provenance: Provenance;
  readonly renamedFrom?: RelativePath;
}

export interface CheckpointDraft {
  readonly kind: Meta['kind'];
  readonly status: Meta['status'];
  readonly entries: readonly DraftEntry[];
  readonly notCovered?: readonly NotCovered[];
  readonly group?: string;
  readonly agent?: AgentInfo;
  readonly prompt?: string;
  readonly label?: string;
  readonly restores?: Meta['restores'];
  readonly restoresPart?: Meta['restoresPart'];
  /** ISO time; default that of the id. */
  readonly createdAt?: string;
  /** Default a new one, later than all that are there. */
  readonly id?: CheckpointId;
  /** The index of last blobs is left as it is: a small file for each path costs more than a copy now and then. */
  readonly unnoted?: true;
}

/**
 * Stores the blob of a state (nothing for other states) and returns the state to put into the metadata. A source
 * that vanished gives `absent`, one that cannot be read `unreadable`.
 */
export type AddState = (side: 'pre' | 'post', entry: number, path: RelativePath, state: DraftState) => State;
