// The agents that can be given a session that we made, by name. Not loaded by a hook process.
import { claudeCodeForks } from './claude-code/fork';
import { codexForks } from './codex/fork';
import type { ForkFormat } from './fork/format';
import { opencodeForks } from './opencode/fork';
import { piForks } from './pi/fork';

export const forkFormats: readonly ForkFormat[] = [claudeCodeForks, codexForks, opencodeForks, piForks];

export const forkFormat = (agent: string | undefined): ForkFormat | undefined =>
  forkFormats.find((format) => format.agent === agent);
