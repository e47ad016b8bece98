// The tools for VS Code's chat. What they do is loaded when a model calls one.
import * as vscode from 'vscode';
import type { Ports } from '../../core/ports';
import { toolNames, type ToolName } from '../../tools/names';
import { ownSetting } from '../contributions';
import type { Registration } from '../observe/registration';
import { onDemand } from '../onDemand';
import type { Timeline } from '../timeline/timeline';
import type { WorkspaceRoots } from '../workspaceRoots';

export interface ToolHost {
  readonly ports: Ports;
  readonly roots: WorkspaceRoots;
  readonly timeline: Timeline;
  readonly registration: Registration;
}

const working: Readonly<Record<ToolName, string>> = {
  checkpoint_list: 'Looking for checkpoints',
  checkpoint_diff: 'Comparing a checkpoint',
  checkpoint_restore: 'Planning a restore',
  checkpoint_create: 'Creating a checkpoint',
  rebuild_context: 'Rebuilding the context of a conversation',
};

/** They are not offered while capture is off, nor do they answer then. */
export function languageModelTools(host: ToolHost): vscode.Disposable {
  return vscode.Disposable.from(
    ...toolNames.map((name) =>
      vscode.lm.registerTool<Record<string, unknown>>(name, {
        prepareInvocation({ input }) {
          if (refusal(name) !== undefined) return { invocationMessage: working[name] };
          const confirmationMessages = onDemand().confirmationOf(host, name, input);
          return { invocationMessage: working[name], ...(confirmationMessages && { confirmationMessages }) };
        },
        invoke({ input }) {
          const refused = refusal(name);
          if (refused !== undefined) throw new Error(refused);
          const texts = onDemand().invokeTool(host, name, input);
          return new vscode.LanguageModelToolResult(texts.map((text) => new vscode.LanguageModelTextPart(text)));
        },
      }),
    ),
  );
}

/** Why the tool does not run now, for the model. */
function refusal(name: ToolName): string | undefined {
  if (ownSetting(vscode.workspace, 'agentCheckpoints.enabled') !== true) {
    return 'Checkpoints are turned off. The person can turn on "agentCheckpoints.enabled" in the settings.';
  }
  const writes = name === 'checkpoint_restore' || name === 'checkpoint_create';
  if (writes && !vscode.workspace.isTrusted) {
    return 'This needs a trusted workspace. In Restricted Mode checkpoints can only be looked at.';
  }
  return undefined;
}
