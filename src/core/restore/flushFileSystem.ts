// One flush of a whole file system, where the system has a program for it: Node itself can only flush file by file.
import { execFileSync } from 'node:child_process';

/** Coreutils' own, not what the PATH may name. */
const program = '/usr/bin/sync';

/** ms; a disk that others write to may take long, and then the files are flushed one by one. */
const timeout = 10_000;

/** As `Ports.flushFileSystem`: Linux, with coreutils. */
export function flushFileSystem(folder: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    execFileSync(program, ['--file-system', '--', folder], { stdio: 'ignore', timeout });
    return true;
  } catch {
    return false;
  }
}
