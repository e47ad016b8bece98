// From the words of the command line to a verb's call.
import { parseArgs } from 'node:util';
import { UsageError } from '../../tools/usage';
import { type OptionSpecs, type Verb } from './verb';

/** Options of every verb. */
export const commonOptions = {
  root: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies OptionSpecs;

/** `--root DIR list` is `list --root DIR`: common options may also stand before the verb. */
export function verbFirst(argv: readonly string[]): readonly string[] {
  let at = 0;
  while (at < argv.length) {
    if (argv[at] === '--root') at += 2;
    else if (argv[at] === '--json' || argv[at]!.startsWith('--root=')) at += 1;
    else break;
  }
  if (at === 0 || at >= argv.length) return argv;
  return [argv[at]!, ...argv.slice(0, at), ...argv.slice(at + 1)];
}

/** Whether the words ask for JSON; known before they are understood, so that a usage error can be JSON too. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? undefined : end).includes('--json');
}

export interface Parsed {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

/** @throws UsageError */
export function parseVerb(verb: Verb, words: readonly string[]): Parsed {
  const parsed = parseWords(verb, words);
  if (parsed.values['help'] === true) return parsed;
  const { min, max } = verb.arguments ?? { min: 0, max: 0 };
  const count = parsed.positionals.length;
  if (count < min) throw new UsageError(`${verb.name} needs ${verb.usage.split(' [')[0]}.`);
  if (count > max) throw new UsageError(`${verb.name} does not take ${JSON.stringify(parsed.positionals[max])}.`);
  return parsed;
}

function parseWords(verb: Verb, words: readonly string[]): Parsed {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      options: { ...verb.options, ...commonOptions },
      allowPositionals: true,
      strict: true,
    });
    return { values: values as Parsed['values'], positionals };
  } catch (error) {
    // parseArgs' own messages name the option; what follows the first sentence is advice on quoting.
    throw new UsageError(error instanceof Error ? error.message.split('\n')[0]! : String(error));
  }
}
