// The commands of the Restore Preview view.
import type { Handlers } from '../contributions';
import type { Services } from '../services';

type PreviewCommands = Pick<
  Handlers,
  | 'agentCheckpoints.runPlan'
  | 'agentCheckpoints.cancelPlan'
  | 'agentCheckpoints.showPlan'
  | 'agentCheckpoints.comparePath'
  | 'agentCheckpoints.togglePath'
  | 'agentCheckpoints.decidePath'
  | 'agentCheckpoints.keepPath'
  | 'agentCheckpoints.mergePath'
  | 'agentCheckpoints.overwritePath'
  | 'agentCheckpoints.useMerge'
>;

export function previewCommands({ restorePreview }: Services): PreviewCommands {
  return {
    'agentCheckpoints.runPlan': () => restorePreview.run(),
    'agentCheckpoints.cancelPlan': () => restorePreview.cancel(),
    'agentCheckpoints.showPlan': () => restorePreview.showAll(),
    'agentCheckpoints.comparePath': (row) => restorePreview.compare(row),
    'agentCheckpoints.togglePath': () => restorePreview.toggle(),
    'agentCheckpoints.decidePath': (row) => restorePreview.ask(row),
    'agentCheckpoints.keepPath': (row) => restorePreview.decide(row, 'refuse'),
    'agentCheckpoints.mergePath': (row) => restorePreview.decide(row, 'merge'),
    'agentCheckpoints.overwritePath': (row) => restorePreview.decide(row, 'overwrite'),
    'agentCheckpoints.useMerge': () => restorePreview.useMerge(),
  };
}
