// Which turns the view shows. Pure.
import type { HostRoot } from '../workspaceRoots';
import type { Turn } from './turns';

export interface TurnFilter {
  readonly isActive: boolean;
  apply(turns: readonly Turn[], root: HostRoot): readonly Turn[];
}

export interface FilterChoice {
  /** Only this file: root path and path in it. `null`: follow the active editor, which shows no file of a root. */
  readonly file?: { readonly root: string; readonly path: string } | null;
  readonly agent?: string;
  readonly session?: string;
}

export function turnFilter(choice: FilterChoice): TurnFilter {
  const { file, agent, session } = choice;
  return {
    isActive: file !== undefined || agent !== undefined || session !== undefined,
    apply(turns, root) {
      return turns
        .map((turn) => {
          if (file === undefined) return turn;
          if (file === null || root.path !== file.root) return undefined;
          const files = turn.files.filter(({ path }) => path === file.path);
          return files.length > 0 ? { ...turn, files } : undefined;
        })
        .filter((turn) => turn !== undefined)
        .filter((turn) => agent === undefined || turn.checkpoints.some((each) => each.agent?.name === agent))
        .filter((turn) => session === undefined || turn.checkpoints.some((each) => each.agent?.session === session));
    },
  };
}
