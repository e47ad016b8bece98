// Builds the API object that other extensions get.
import type { Ports } from '../../core/ports';
import type * as vscode from 'vscode';
import type { AgentCheckpointsApi, RebuildContextEvent } from '../api';
import type { Log } from '../log';
import { onDemand } from '../onDemand';
import type { WorkspaceRoots } from '../workspaceRoots';
import { EditInterceptor } from './applyEdit';
import { Calls, checkCall, checkIdentity } from './calls';

export function exportedApi(
  ports: Ports,
  roots: WorkspaceRoots,
  log: Log,
  rebuilt: vscode.EventEmitter<RebuildContextEvent>,
): AgentCheckpointsApi {
  const calls = new Calls(ports);
  const edits = new EditInterceptor(calls, log);
  const nothing = { checkpoints: [], notCovered: [] };

  return Object.freeze<AgentCheckpointsApi>({
    version: 1,
    get enabled() {
      return calls.enabled;
    },
    async beforeWrite(call) {
      checkCall(call);
      return calls.enabled
        ? calls.before(
            call,
            call.files.map((uri) => ({ uri })),
          )
        : nothing;
    },
    async afterWrite(call) {
      checkCall(call);
      if (calls.enabled)
        await calls.after(
          call,
          call.files.map((uri) => ({ uri })),
        );
    },
    async abandon(call) {
      checkCall(call);
      if (calls.enabled) calls.abandon(call);
    },
    async rebuildContext(options) {
      return onDemand().rebuildFor(ports, roots, (event) => rebuilt.fire(event), options);
    },
    onDidRebuildContext: rebuilt.event,
    async applyEdit(edit, info) {
      checkIdentity(info);
      return edits.apply(edit, info);
    },
  });
}
