// Whether an agent is on this machine: its folder is there, or its program is on the PATH.
import path from 'node:path';
import type { Ports } from '../core/ports';

export function onMachine(
  { fs }: Ports,
  env: NodeJS.ProcessEnv,
  { folders, programs }: { readonly folders: readonly string[]; readonly programs: readonly string[] },
): boolean {
  const exists = (file: string, isIt: 'isDirectory' | 'isFile') => {
    try {
      return fs.statSync(file, { throwIfNoEntry: false })?.[isIt]() ?? false;
    } catch {
      return false;
    }
  };
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  const onPath = (env.PATH ?? '').split(path.delimiter).filter((dir) => path.isAbsolute(dir));
  return (
    folders.some((folder) => exists(folder, 'isDirectory')) ||
    onPath.some((dir) => programs.some((name) => endings.some((end) => exists(path.join(dir, name + end), 'isFile'))))
  );
}
