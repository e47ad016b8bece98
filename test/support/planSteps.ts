// Plans of a restore as the texts and rows of the editor get them.
import type { FileState, State } from '../../src/core/store/meta';
import type { PlanStep, RestorePlan } from '../../src/core/restore/types';

export const absent: State = { type: 'absent' };
export const file: FileState = { type: 'file', sha256: '0'.repeat(64), size: 1, mode: 0o644, blob: 'pre/0-x' };

export const step = (path: string, action: PlanStep['action'], more: Partial<PlanStep> = {}): PlanStep => ({
  path,
  action,
  reason: 'a reason',
  current: file,
  result: action === 'delete' ? absent : file,
  takes: [],
  ...more,
});

export const plan = (...steps: PlanStep[]): RestorePlan => ({ root: '/project', label: 'Undo', steps, notCovered: [] });
