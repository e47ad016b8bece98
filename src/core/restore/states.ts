// Comparing and naming states of a path.
import type { FileState, State } from '../store/meta';

export const absent: State = { type: 'absent' };

/** Whether two states are the same to a person: bytes and mode of files, targets of links. */
export function sameState(a: State, b: State): boolean {
  switch (a.type) {
    case 'file':
      return b.type === 'file' && a.sha256 === b.sha256 && a.size === b.size && a.mode === b.mode;
    case 'symlink':
      return b.type === 'symlink' && a.target === b.target;
    case 'unreadable':
      return false;
    default:
      return a.type === b.type;
  }
}

export const sameBytes = (a: FileState, b: FileState): boolean => a.sha256 === b.sha256 && a.size === b.size;

/** For reasons: `a file`, `nothing`, … */
export function stateName(state: State): string {
  switch (state.type) {
    case 'file':
      return 'a file';
    case 'absent':
      return 'nothing';
    case 'symlink':
      return 'a link';
    case 'directory':
      return 'a folder';
    case 'unreadable':
      return 'something unreadable';
  }
}
