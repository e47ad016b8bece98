// The rebuild as a tool of language models.
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import type { RebuildContextOptions } from '../api';
import { ownSetting } from '../contributions';
import { onDemand } from '../onDemand';
import type { WorkspaceRoots } from '../workspaceRoots';

/** `rebuild_context`: reads only. It is not offered while capture is off, nor does it answer then. */
export function rebuildTool(ports: Ports, roots: WorkspaceRoots): vscode.Disposable {
  return vscode.lm.registerTool<RebuildContextOptions>('rebuild_context', {
    prepareInvocation: () => ({ invocationMessage: 'Rebuilding the context of a conversation' }),
    invoke({ input }) {
      if (ownSetting(vscode.workspace, 'agentCheckpoints.enabled') !== true) {
        throw new Error(
          'Checkpoints are turned off. The person can turn on "agentCheckpoints.enabled" in the settings.',
        );
      }
      const { markdown } = onDemand().rebuildFor(ports, roots, input ?? {});
      return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(markdown)]);
    },
  });
}
