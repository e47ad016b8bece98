// Writing a new session's file: whole or not at all, for the owner only, never over another file, never outside of the
// agent's own folder.
import path from 'node:path';
import { CheckpointError, errorCode } from '../../core/errors';
import type { Ports } from '../../core/ports';
import { removeQuietly, uniqueSuffix } from '../../core/state/atomicFile';
import { openToCreate, rename, syncDir } from '../../core/state/platform';

/** Characters that are written at once. */
const pieceLength = 2 ** 20;

/**
 * @param folder absolute; the agent's folder of sessions
 * @param file absolute; must not be there yet
 * @param lines without line feeds
 * @throws CheckpointError `refused-path` (outside of the folder), `failed` (cannot be written); what `lines` throws
 */
export function writeSession(ports: Ports, folder: string, file: string, lines: Iterable<string>): void {
  const dir = placeFor(ports, folder, path.dirname(file));
  const target = path.join(dir, path.basename(file));
  const temporary = path.join(dir, `.tmp-${uniqueSuffix()}`);
  try {
    writeLines(ports, temporary, lines);
    place(ports, temporary, target);
    syncDir(ports, dir);
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new CheckpointError('failed', `${file} cannot be written: ${String(error)}`, { cause: error });
  } finally {
    removeQuietly(ports, temporary);
  }
}

/** Makes the folder; by real paths, since a link in it may lead anywhere. @returns its real path */
function placeFor({ fs }: Ports, folder: string, dir: string): string {
  const refuse = () =>
    new CheckpointError('refused-path', `${dir} is not in ${folder}, where the agent keeps its sessions.`);
  const relative = path.relative(folder, dir);
  if (!isInside(relative)) throw refuse();
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const base = fs.realpathSync(folder);
    let at = base;
    for (const name of relative.split(path.sep).filter((part) => part !== '')) {
      at = path.join(at, name);
      try {
        fs.mkdirSync(at, { mode: 0o700 });
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      at = fs.realpathSync(at);
      if (!isInside(path.relative(base, at))) throw refuse();
    }
    return at;
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new CheckpointError('failed', `${dir} cannot be made: ${String(error)}`, { cause: error });
  }
}

const isInside = (relative: string) =>
  relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);

function writeLines({ fs }: Ports, file: string, lines: Iterable<string>): void {
  const fd = fs.openSync(file, openToCreate, 0o600);
  try {
    let piece = '';
    const flush = () => {
      fs.writeFileSync(fd, piece);
      piece = '';
    };
    for (const line of lines) {
      piece += `${line}\n`;
      if (piece.length >= pieceLength) flush();
    }
    flush();
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/** A rename would replace what is there; a second name does not. */
function place(ports: Ports, temporary: string, target: string): void {
  const { fs } = ports;
  try {
    fs.linkSync(temporary, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || fs.lstatSync(target, { throwIfNoEntry: false }) !== undefined) throw error;
    // A file system without links.
    rename(ports, temporary, target);
  }
}
