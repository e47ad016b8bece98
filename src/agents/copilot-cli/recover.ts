// Copilot CLI keeps the bytes of files as they were before each prompt changed them, also those that a shell changed.
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { RecoveredCall, RecoveredFile, RecoveredState } from '../../core/capture/recovered';
import { idOf, recordOf, recordsOf, textOf, timeOf, type JsonRecord } from '../../core/conversation/transcriptJson';
import { parseDocument, readDocument } from '../../core/conversation/transcriptWhole';
import type { Ports } from '../../core/ports';
import type { Recover } from '../recover';
import { readBackup } from '../readBackup';

export const recoverCopilot: Recover = (ports, { agent, session, file }) => {
  const dir = path.join(path.dirname(file), 'rewind-file-snapshots');
  const { snapshots } = recordOf(parseDocument(readDocument(ports, path.join(dir, 'index.json'))));
  return recordsOf(snapshots).flatMap((snapshot): RecoveredCall[] => {
    const at = timeOf(snapshot.timestamp);
    const id = idOf(snapshot.snapshotId);
    if (at === undefined || id === undefined) return [];
    const files: RecoveredFile[] = [];
    const notCovered: { path: string; reason: string }[] = [];
    for (const one of Object.values(recordOf(snapshot.files)).map(recordOf)) {
      const named = textOf(one.path);
      if (named === undefined || !path.isAbsolute(named)) continue;
      const pre = stateOf(ports, dir, recordOf(one.preimage));
      const post = stateOf(ports, dir, recordOf(one.postimage)) ?? nowIf(ports, named, recordOf(one.postimage));
      if (pre === undefined) notCovered.push({ path: named, reason: 'Copilot’s backup of it is gone' });
      else files.push({ path: named, pre, ...(post !== undefined && { post }), provenance: 'agent-backup' });
    }
    const prompt = textOf(snapshot.userMessage);
    const turn = idOf(snapshot.eventId);
    const info = { name: agent, session, toolUse: `snapshot:${id}`, ...(turn !== undefined && { turn }) };
    return [{ agent: info, at, ...(prompt !== undefined && { prompt }), files, notCovered }];
  });
};

function stateOf(ports: Ports, dir: string, image: JsonRecord): RecoveredState | undefined {
  if (image.kind === 'absent') return 'absent';
  const hash = textOf(image.contentHash);
  const name = textOf(image.backupFile) ?? hash;
  if (name === undefined || !/^[0-9a-f]{64}$/.test(name)) return undefined;
  const bytes = readBackup(ports, path.join(dir, 'backups', name));
  return bytes !== undefined && (hash === undefined || hashOf(bytes) === hash) ? bytes : undefined;
}

/** What the change led to is not kept, but may still be there. */
function nowIf(ports: Ports, file: string, image: JsonRecord): RecoveredState | undefined {
  const bytes = readBackup(ports, file);
  return bytes !== undefined && hashOf(bytes) === image.contentHash ? bytes : undefined;
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
