// The records of a transcript with their own text, for what copies them. Two readings see the same ones.
import { CheckpointError } from '../../core/errors';
import type { Ports } from '../../core/ports';
import { withTranscript } from '../../core/conversation/transcriptFollow';
import { parseLine } from '../../core/conversation/transcriptJson';
import { readLines } from '../../core/conversation/transcriptLines';
import type { SourceRecord } from './format';

/** Bytes; a session that is copied is held in memory for a moment, and the agent has to read it too. */
const maxBytes = 512 * 2 ** 20;

/**
 * Calls with each record. Lines that are damaged are passed over, as the agents do.
 * @param tooLong called with the number of a line that is too long to be held
 * @throws CheckpointError `damaged` where the file cannot be read
 */
export function eachSourceRecord(
  ports: Ports,
  file: string,
  use: (record: SourceRecord) => void,
  tooLong: (line: number) => void = () => {},
): void {
  try {
    withTranscript(ports, file, (fd, { size }) => {
      if (size > maxBytes) throw new Error(`it is too large to be copied (${Math.round(size / 2 ** 20)} MB)`);
      for (const { bytes, number: line } of readLines(ports, fd, { from: 0, to: size, number: 1 })) {
        if (bytes === undefined) {
          tooLong(line);
          continue;
        }
        const { records, damage } = parseLine(bytes);
        const isAlone = records.length === 1 && damage === undefined;
        for (const record of records) use({ record, line, text: isAlone ? own(bytes) : JSON.stringify(record) });
      }
    });
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new CheckpointError('damaged', `${file} cannot be copied: ${why}.`, { cause: error });
  }
}

/** Without what may stand around a record in its line. */
function own(bytes: Buffer): string {
  const start = bytes.indexOf(0x7b);
  return bytes.toString('utf8', start, bytes.lastIndexOf(0x7d) + 1);
}
