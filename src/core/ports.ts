// What the core needs from the outside. Everything else in core is a function of these.
import type * as nodeFs from 'node:fs';

/**
 * The file system, as the synchronous calls of `node:fs`. Synchronous, because a hook process must have the
 * bytes on disk before it returns, and because a fault test can then stop every sequence at every single call.
 */
export type FileSystem = Pick<
  typeof nodeFs,
  | 'accessSync'
  | 'chmodSync'
  | 'closeSync'
  | 'copyFileSync'
  | 'fchmodSync'
  | 'fstatSync'
  | 'fsyncSync'
  | 'ftruncateSync'
  | 'linkSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'openSync'
  | 'readFileSync'
  | 'readSync'
  | 'readdirSync'
  | 'readlinkSync'
  | 'realpathSync'
  | 'renameSync'
  | 'rmSync'
  | 'rmdirSync'
  | 'statSync'
  | 'statfsSync'
  | 'symlinkSync'
  | 'unlinkSync'
  | 'utimesSync'
  | 'writeFileSync'
  | 'writeSync'
>;

/** Passed to everything in core that touches the world. */
export interface Ports {
  readonly fs: FileSystem;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Absolute path of the user-state folder (it may not exist yet). */
  readonly stateDir: string;
}
