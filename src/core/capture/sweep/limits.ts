// How much one sweep may take. What is beyond is named in the checkpoint.

const megabyte = 2 ** 20;

export interface SweepLimits {
  /** Bytes; larger files are not copied. */
  readonly maxFileBytes: number;
  /** Files that are looked at one by one, and entries of one checkpoint. */
  readonly maxFiles: number;
  /** Bytes that one sweep copies, and bytes that it asks Git for. */
  readonly maxBytes: number;
  /** Names that are remembered, so that what is new can be told. */
  readonly maxNames: number;
  /** Tracked files up to which the permissions of all are noted; beyond, Git knows only who may run a file. */
  readonly maxModes: number;
  readonly maxRepositories: number;
  /** What a command makes and Git ignores is covered up to so many files and bytes. */
  readonly maxMade: { readonly files: number; readonly bytes: number };
  /** ms for copying, and for walking a folder without Git; the hook's own limit is far above. */
  readonly copyTime: number;
  /** ms for one call of Git. */
  readonly gitTime: number;
}

export const defaultLimits = (maxFileBytes: number): SweepLimits => ({
  maxFileBytes,
  maxFiles: 10_000,
  maxBytes: 256 * megabyte,
  maxNames: 100_000,
  maxModes: 5000,
  maxRepositories: 50,
  maxMade: { files: 500, bytes: 16 * megabyte },
  copyTime: 6000,
  gitTime: 8000,
});
