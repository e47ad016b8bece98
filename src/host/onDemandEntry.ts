// The entry of the bundle that `onDemand` loads: following transcripts, forking, rebuilding a context, recovering the
// past, tools of language models.
export { followAll } from './conversations/following';
export { forkConversation } from './conversations/fork';
export { confirmationOf, invokeTool } from './lm/call';
export { rebuildCommands } from './rebuild/command';
export { rebuildFor } from './rebuild/rebuildFor';
export { RebuildPanel } from './rebuild/panel';
export { recoverCommands } from './recover/command';
