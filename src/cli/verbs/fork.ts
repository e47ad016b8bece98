// fork: a conversation goes on from an earlier checkpoint; in our own chain, or as a session of its agent.
import { forkSession, type ForkedSession } from '../../agents/fork/forkSession';
import type { ProgramCall } from '../../agents/fork/format';
import { rebuildChain } from '../../core/context/rebuildChain';
import { forkInPlace } from '../../core/conversation/append';
import type { Chain } from '../../core/conversation/chain';
import { CheckpointError } from '../../core/errors';
import { rootStores } from '../../core/store/stores';
import { chainArgument, opened } from './conversations';
import { tokensOption } from './rebuild';
import { safeLine } from './screen';
import { homeOf } from '../../tools/home';
import { UsageError } from '../../tools/usage';
import { flag, textOption, type Verb, type VerbCall } from './verb';

export const fork: Verb = {
  name: 'fork',
  usage: '<c> --at <id> [--agent-session [--rebuilt [--keep-tokens N]]]',
  summary: 'let a conversation go on from an earlier checkpoint',
  details: [
    chainArgument,
    'What is written next grows from that checkpoint; what came after it stays as a branch.',
    '--agent-session   make a session that the agent itself goes on from, beside its old one, which is not changed;',
    '                  nor is this conversation. It says how the agent is started on it',
    '--rebuilt         the new session begins with a rebuilt context (a summary, then the newest messages) instead of',
    '                  all that the agent had',
    '--keep-tokens N   with --rebuilt: keep about N tokens of the newest messages',
    'JSON: {conversation, id}; with --agent-session also {agent, session, file, cwd, from, before?, command}: from is',
    'transcript or messages, command (and before, which has to run first) the words of a command line.',
  ],
  options: {
    at: { type: 'string' },
    'agent-session': { type: 'boolean' },
    rebuilt: { type: 'boolean' },
    'keep-tokens': { type: 'string' },
  },
  arguments: { min: 1, max: 1 },
  run(call) {
    const at = textOption(call, 'at');
    if (at === undefined) throw new UsageError('fork needs --at <id>.');
    const isSession = flag(call, 'agent-session');
    const isRebuilt = flag(call, 'rebuilt');
    if (isRebuilt && !isSession) throw new UsageError('--rebuilt goes with --agent-session.');
    if (call.values['keep-tokens'] !== undefined && !isRebuilt)
      throw new UsageError('--keep-tokens goes with --rebuilt.');
    const chain = opened(call);
    if (isSession) return agentSession(call, chain, at, isRebuilt);
    const { ports } = call.io;
    const id = forkInPlace(ports, rootStores(ports, call.root()), chain, at);
    return {
      json: { conversation: chain.name, id },
      human: () => `${chain.name} goes on from ${safeLine(id)}.`,
    };
  },
};

function agentSession(call: VerbCall, chain: Chain, at: string, isRebuilt: boolean) {
  const { ports, env } = call.io;
  const root = call.root();
  const id = at === 'latest' ? chain.leaf : at;
  if (id === undefined) throw new CheckpointError('not-found', `The conversation ${chain.name} is empty.`);
  const rebuilt = isRebuilt
    ? rebuildChain(ports, rootStores(ports, root), chain, { at: id, keepTokens: tokensOption(call) })
    : undefined;
  const forked = forkSession(ports, {
    chain,
    at: id,
    root,
    places: { env, home: homeOf(env) },
    messages: rebuilt?.messages,
  });
  const { agent, session, file, cwd, from } = forked;
  const before = forked.before && wordsOf(forked.before);
  return {
    json: {
      conversation: chain.name,
      id,
      ...{ agent, session, file, cwd, from },
      ...(before !== undefined && { before }),
      command: wordsOf(forked.start),
    },
    human: () => instructions(forked),
  };
}

const wordsOf = ({ program, args }: ProgramCall) => [program, ...args];

function instructions({ session, file, cwd, before, start }: ForkedSession): string {
  const run = [...(before === undefined ? [] : [before]), start].map((one) => wordsOf(one).map(quoted).join(' '));
  return [
    `The new session is ${safeLine(session)}, in ${safeLine(file)}.`,
    `Go on with it in ${safeLine(cwd)}:`,
    ...run.map((line) => `  ${safeLine(line)}`),
  ].join('\n');
}

const quoted = (word: string) => (/^[\w./:=@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
