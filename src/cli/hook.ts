// `agent-checkpoints hook <agent>`: the process that stands between an agent and its write.
//
// It must be quick, print nothing but what the agent's contract wants, and always exit 0. Its time is bounded without a thread of its own, which would cost
// more than the work: waiting for the payload has a limit, no file is opened that could block (FIFOs and devices are
// told by lstat before), no lock is taken, and a file above the size limit is not copied. What is left is a file system
// that does not answer; no process can get out of that, and the limit in the agent's own configuration counts there.
import * as fs from 'node:fs';
import { runHook } from '../agents/runHook';
import { logHook } from '../agents/hookLog';
import { lazyGit } from '../core/capture/sweep/lazyGit';
import type { Ports } from '../core/ports';
import { defaultStateDir } from '../core/state/stateDir';
import { readStdin } from './stdin';

/** Milliseconds that an agent may take to hand over its payload. */
const payloadTimeLimit = 10_000;

/**
 * Never throws. The exit code is 0 whatever happened.
 *
 * @param event what the agent's configuration names the event, where it says so
 */
export function hook(agentName: string, event?: string): void {
  const { env } = process;
  try {
    const ports: Ports = { fs, now: Date.now, stateDir: defaultStateDir(env), git: lazyGit };
    try {
      const payload = readStdin({ deadline: Date.now() + payloadTimeLimit });
      if (payload.type === 'text') {
        const answer = runHook(ports, agentName, payload.text, {
          env,
          cwd: currentFolder(),
          home: env.HOME ?? env.USERPROFILE ?? '/',
          ...(event === undefined ? {} : { event }),
        });
        if (answer !== '') fs.writeSync(1, answer);
      } else {
        logHook(ports, `${agentName}: the payload was ${payload.type}`);
      }
    } catch (error) {
      logHook(ports, `${agentName}: ${String(error)}`);
    }
  } catch {
    // Not even the log can be reached.
  }
  // Nothing that is still open may hold the process.
  process.exit(0);
}

/** Only for payloads that name no folder of their own. One that was removed has no name. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}
