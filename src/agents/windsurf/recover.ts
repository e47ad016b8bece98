// Windsurf writes down each file before and after a change of its own.
import { idOf, textOf, timeOf } from '../../core/conversation/transcriptJson';
import type { RecoveredCall } from '../../core/capture/recovered';
import { eachRecord } from '../eachRecord';
import type { Recover } from '../recover';
import { pathOfUri } from '../transcriptUri';
import { contentOf } from './transcript';

export const recoverWindsurf: Recover = (ports, { agent, session, file, updatedAt }) => {
  const calls: RecoveredCall[] = [];
  eachRecord(ports, file, (record) => {
    if (record.type !== 'code_action') return;
    const { path: named, original_content: before, new_content: after } = contentOf(record);
    const path = pathOfUri(named);
    const pre = textOf(before);
    const post = textOf(after);
    if (path === undefined || pre === undefined) return;
    // Steps have no times: the file's last one, in the order of the steps.
    const at =
      timeOf(record.timestamp ?? record.created_at) ??
      new Date(Date.parse(updatedAt) - 100_000 + calls.length).toISOString();
    const toolUse = idOf(record.id) ?? idOf(record.step_id) ?? `${session}:${calls.length}`;
    calls.push({
      agent: { name: agent, session, tool: 'code_action', toolUse },
      at,
      files: [
        {
          path,
          pre: Buffer.from(pre),
          ...(post !== undefined && { post: Buffer.from(post) }),
          provenance: 'transcript',
        },
      ],
    });
  });
  return calls;
};
