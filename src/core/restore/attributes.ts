// Which files have more than bytes, owner and mode: an access control list, extended attributes. Node has no calls for
// these, so the system's own programs are asked, by their fixed places, once for many files. A file that has some is
// written in place, since a new file in its stead would lack them.
import { spawnSync } from 'node:child_process';

const timeoutMs = 10_000;
/** Command lines are limited, and 128 kB of arguments fit everywhere; so many bytes of paths are asked about at once. */
const maxLength = 96 * 1024;
/** Of each argument, beside its bytes: its end and a pointer. */
const overhead = 9;

/** For `Ports.hasAttributes`. Paths are absolute; nothing is followed. Never throws. */
export function fileAttributes(files: readonly string[]): readonly boolean[] {
  if (process.platform === 'win32') return files.map(() => false);
  const found: boolean[] = [];
  for (let from = 0, to = 0; from < files.length; from = to) {
    let length = 0;
    do length += Buffer.byteLength(files[to++]!) + overhead;
    while (to < files.length && length + Buffer.byteLength(files[to]!) + overhead <= maxLength);
    found.push(...ask(files.slice(from, to)));
  }
  return found;
}

function ask(files: readonly string[]): boolean[] {
  const lists = marked(files);
  const named = extended(files);
  return files.map((_, i) => lists[i]! || named[i]!);
}

/** `ls` puts a `+` behind the mode for a list, on macOS an `@` for extended attributes too. */
function marked(files: readonly string[]): boolean[] {
  const order = process.platform === 'darwin' ? ['-lndf'] : ['-lndU', '--quoting-style=escape'];
  const text = output('/bin/ls', [...order, '--', ...files]);
  if (text === undefined) return files.map(() => false);
  const lines = text.split('\n').filter(Boolean);
  // One that has gone, or a name of several lines: which line is whose cannot be told.
  if (lines.length !== files.length) return files.map(() => true);
  return lines.map((line) => line[10] === '+' || line[10] === '@');
}

/** Where `getfattr` is installed. What a system gives to every file by itself, as its labels, does not count. */
function extended(files: readonly string[]): boolean[] {
  if (process.platform !== 'linux') return files.map(() => false);
  const names = '^(user|trusted)\\.|^security\\.capability$';
  const text = output('/usr/bin/getfattr', ['-h', '--absolute-names', '-m', names, '--', ...files]);
  if (!text) return files.map(() => false);
  const lines = new Set(text.split('\n'));
  // Other characters are escaped there.
  return files.map((file) => lines.has(`# file: ${file}`) || !/^[\x20-\x5b\x5d-\x7e]+$/.test(file));
}

/** Undefined where the program is missing or did not answer. */
function output(program: string, args: readonly string[]): string | undefined {
  const { stdout, error } = spawnSync(program, args, {
    env: { LC_ALL: 'C' },
    encoding: 'utf8',
    timeout: timeoutMs,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return error === undefined ? stdout : undefined;
}
