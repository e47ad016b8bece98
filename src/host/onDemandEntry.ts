// The entry of the bundle that `onDemand` loads: following transcripts, rebuilding a context, recovering the past.
export { followAll } from './conversations/following';
export { rebuildCommands } from './rebuild/command';
export { rebuildFor } from './rebuild/rebuildFor';
export { RebuildPanel } from './rebuild/panel';
export { recoverCommands } from './recover/command';
