// How the open places of a merge by hand look.

/** What both sides are called. */
export const mergeLabels = { ours: 'Now', theirs: 'Before the agent' };

const marker = /^(<{7}|>{7}) /m;

/** Whether somebody left a conflict open in it. */
export const hasMarkers = (bytes: Uint8Array): boolean => marker.test(Buffer.from(bytes).toString('latin1'));
