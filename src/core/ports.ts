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
  /** Runs Git; absent where no program may be started. Only the sweep around an agent's commands calls it. */
  readonly git?: RunGit;
  /**
   * Which of these files (absolute) have something that a new file in their place would lack: an access control list,
   * extended attributes. Never throws. Absent: nobody is asked. For restoring only.
   */
  readonly hasAttributes?: (files: readonly string[]) => readonly boolean[];
  /**
   * Makes everything durable that was written to the file system of this folder (absolute). Never throws; false where
   * that cannot be done, or not be known. Absent: files are flushed one by one. For restoring only.
   */
  readonly flushFileSystem?: (folder: string) => boolean;
}

export interface GitCall {
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** Absolute; a program in this folder is not trusted, whatever the PATH says. */
  readonly untrusted: string;
  /** Added to an environment without any of Git's own variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Uint8Array;
  /** Of output, in bytes; more is a failure. */
  readonly maxBytes: number;
  /** ms after which Git is ended. */
  readonly timeout: number;
}

export type GitResult =
  | { readonly type: 'done'; readonly code: number; readonly stdout: Buffer; readonly stderr: string }
  /** There is no Git on this machine. */
  | { readonly type: 'missing' }
  | { readonly type: 'failed'; readonly reason: string };

/** Never throws. */
export type RunGit = (call: GitCall) => GitResult;
