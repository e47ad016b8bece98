// A process of an agent's hook, without any agent's format: reads what to do on its command line, prints the result.
import * as fs from 'node:fs';
import { createObserver } from '../../src/core/capture/observer';
import type { WriteRequest } from '../../src/core/capture/request';

export interface ChildTask {
  readonly stateDir: string;
  readonly request: WriteRequest;
  /** Absolute path to text: written between the two events, the second of which is only reported if this is there. */
  readonly writes?: Record<string, string>;
}

const { stateDir, request, writes } = JSON.parse(process.argv[2]!) as ChildTask;
const observer = createObserver({ fs, now: Date.now, stateDir });
const result = observer.beforeWrite(request);
if (writes !== undefined) {
  for (const [file, text] of Object.entries(writes)) fs.writeFileSync(file, text);
  observer.afterWrite(request);
}
process.stdout.write(JSON.stringify(result));
