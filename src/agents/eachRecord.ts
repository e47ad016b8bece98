// Records of a transcript one by one, for what needs no tree.
import { followLines } from '../core/conversation/transcriptFollow';
import type { JsonRecord } from '../core/conversation/transcriptJson';
import type { Ports } from '../core/ports';

/** Calls with each record of a file of lines. Never throws. */
export function eachRecord(ports: Ports, file: string, use: (record: JsonRecord) => void): void {
  followLines(ports, file, () => ({ add: use, tree: () => ({ nodes: [], damaged: [] }) }));
}
