// What a verb of the command line is, and what it is given.
import type { ParseArgsConfig } from 'node:util';
import type { HookProgramSource } from '../../agents/hookProgram';
import type { Ports } from '../../core/ports';
import { UsageError } from '../../tools/usage';
import type { Sink } from './screen';

export interface CliIo {
  readonly ports: Ports;
  /** Absolute; empty where the current folder was removed. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** This very program, for the stable copy that agents call. */
  readonly program?: HookProgramSource;
}

export type ExitCode = 0 | 1 | 2 | 3;
export type OptionSpecs = NonNullable<ParseArgsConfig['options']>;

export interface VerbCall {
  readonly io: CliIo;
  readonly json: boolean;
  /** The values of `--options`, without `--json` and `--root`. */
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
  /** The workspace root's real path; found (or taken from `--root`) when it is first asked for. */
  readonly root: () => string;
  /** A line for the person on stderr. */
  readonly say: (line: string) => void;
}

export interface VerbResult {
  /** The one document of `--json`. */
  readonly json: unknown;
  /** What a person reads; made only when asked for, with untrusted text already neutralised. */
  readonly human: () => string;
  readonly exit?: ExitCode;
}

export interface Verb {
  readonly name: string;
  /** What follows the name: `<id> [path]`. */
  readonly usage: string;
  /** One line for the list of verbs. */
  readonly summary: string;
  /** Further lines for `<verb> --help`. */
  readonly details: readonly string[];
  readonly options: OptionSpecs;
  /** How many arguments that are no options; absent = none. */
  readonly arguments?: { readonly min: number; readonly max: number };
  /** `said all`: stdout is the verb's own, and nothing may be added to it. */
  readonly run: (call: VerbCall) => VerbResult | Promise<VerbResult | 'said all'>;
}

/** A text option, not empty where it is given. */
export function textOption(call: Pick<VerbCall, 'values'>, name: string): string | undefined {
  const value = call.values[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} needs a value.`);
  return value;
}

export function choiceOption<T extends string>(call: VerbCall, name: string, choices: readonly T[]): T | undefined {
  const value = textOption(call, name);
  if (value === undefined) return undefined;
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  throw new UsageError(`--${name} takes one of ${choices.join(', ')}, not ${JSON.stringify(value)}.`);
}

export const flag = (call: VerbCall, name: string): boolean => call.values[name] === true;
