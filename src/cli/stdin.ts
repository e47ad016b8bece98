// Reads a hook's payload from standard input, whole, within a time limit.
import { fstatSync, readSync } from 'node:fs';

/** Bytes; the largest tool inputs are a few MB. What is above it is read and dropped, so that the agent can finish. */
const maxPayloadBytes = 256 * 2 ** 20;

export interface StdinOptions {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
}

export type Payload = { readonly type: 'text'; readonly text: string } | { readonly type: 'too-large' | 'timed-out' };

/** ms without a further byte, after which what is there is looked at: some agents never close their end. */
const pause = 200;

/** Throws the system's error where standard input is closed. */
export function readStdin({ deadline }: StdinOptions): Payload {
  const polled = makeNonBlocking();
  const chunks: Buffer[] = [];
  let total = 0;
  let size = 64 * 1024;
  let lookAt = Infinity;
  for (;;) {
    const chunk = Buffer.allocUnsafe(size);
    const read = readChunk(chunk);
    if (read === 0) break;
    if (read === undefined) {
      const now = Date.now();
      if (polled && now > lookAt) {
        lookAt = Infinity;
        if (isWhole(chunks)) break;
      }
      if (polled && now > deadline) return { type: 'timed-out' };
      wait(1);
      continue;
    }
    total += read;
    lookAt = Date.now() + pause;
    if (total > maxPayloadBytes) chunks.length = 0;
    else chunks.push(chunk.subarray(0, read));
    if (read === size && size < 8 * 2 ** 20) size *= 2;
  }
  if (total > maxPayloadBytes) return { type: 'too-large' };
  return { type: 'text', text: textOf(chunks) };
}

const textOf = (chunks: readonly Buffer[]) =>
  (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8');

/** No JSON object is the beginning of another. */
function isWhole(chunks: readonly Buffer[]): boolean {
  const text = textOf(chunks).trim();
  if (!text.endsWith('}')) return false;
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

/** Bytes read, 0 at the end, undefined where nothing is there yet. */
function readChunk(chunk: Buffer): number | undefined {
  try {
    return readSync(0, chunk, 0, chunk.length, null);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // How Windows says that the other end of a pipe was closed.
    if (code === 'EOF') return 0;
    if (code === 'EAGAIN') return undefined;
    throw error;
  }
}

/**
 * Makes reads of a pipe or socket return at once, so that an agent that never closes its end cannot hold this process:
 * a read that blocks would also block the exit, also on a thread of its own. Node has no public call for it but the
 * one that loads the whole of `net`, which would cost a tenth of the process. Where this is not to be had, reads block,
 * and the agent's own time limit is the only one.
 */
function makeNonBlocking(): boolean {
  try {
    const stat = fstatSync(0);
    if (!stat.isFIFO() && !stat.isSocket()) return false;
    const { binding } = process as unknown as { binding(name: 'pipe_wrap'): PipeBinding };
    const { Pipe, constants } = binding.call(process, 'pipe_wrap');
    return new Pipe(constants.SOCKET).open(0) === 0;
  } catch {
    return false;
  }
}

interface PipeBinding {
  readonly Pipe: new (type: number) => { open(fd: number): number };
  readonly constants: { readonly SOCKET: number };
}

function wait(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
