// The bytes of a file that an agent keeps, or of one in the workspace.
import { withTranscript } from '../core/conversation/transcriptFollow';
import type { Ports } from '../core/ports';
import { readToEnd } from '../core/store/plainFile';

/** Bytes; larger ones are not covered by default either. */
const maxBytes = 100 * 2 ** 20;

/** Undefined where there is no such plain file, or it is too large. Never throws. */
export function readBackup(ports: Ports, file: string): Buffer | undefined {
  try {
    return withTranscript(ports, file, (fd, { size }) => (size <= maxBytes ? readToEnd(ports, fd, size) : undefined));
  } catch {
    return undefined;
  }
}
