// Agent: Fork Conversation Here. A session that the agent itself goes on from, in a terminal.
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { cannotFork, forkSession, sourceOf, type ForkedSession } from '../../agents/fork/forkSession';
import type { ProgramCall } from '../../agents/fork/format';
import { rebuildChain, type ChainRebuild } from '../../core/context/rebuildChain';
import { CheckpointError } from '../../core/errors';
import type { Chain } from '../../core/conversation/chain';
import { messageOf } from '../log';
import { allConversations, openPlace, placeOf, type Place } from '../rebuild/conversations';
import type { Services } from '../services';
import { agentName } from '../timeline/words';
import { requireTrust } from '../trust';
import { openAgentTerminal } from './agentTerminal';
import { isPlace, pickPoint } from './points';
import type { ConversationTarget } from './target';

const title = 'Fork Conversation';
/** ms for what has to run before the agent starts. */
const beforeLimit = 60_000;

export async function forkConversation(services: Services, target: ConversationTarget | undefined): Promise<void> {
  const { ports, roots, dialogs } = services;
  if (target === undefined && allConversations(ports, roots).length === 0) {
    const text = 'There is no conversation with an agent in this workspace yet.';
    return void (await dialogs.tell('info', text));
  }
  const chosen = await choose(services, placeOf(ports, roots, target?.conversation, target?.root), target?.at);
  if (chosen === undefined) return;
  const { place, chain, at } = chosen;
  const refusal = cannotFork(chain, at);
  if (refusal !== undefined) return await rebuildInstead(services, place, at, refusal);
  if (!(await requireTrust(dialogs, 'Forking a conversation'))) return;
  const agent = agentName(sourceOf(chain, at)!.agent);
  const how = await pickContext(services, place, chain, at, agent);
  if (how === undefined) return;
  const forked = forkSession(ports, {
    chain,
    at,
    root: place.root.path,
    places: { env: process.env, home: process.env['HOME'] || homedir() },
    messages: how.rebuilt?.messages,
  });
  await start(services, forked, agent);
}

interface Chosen {
  readonly place: Place;
  readonly chain: Chain;
  readonly at: string;
}

async function choose(services: Services, place: Place, at: string | undefined): Promise<Chosen | undefined> {
  const { ports, roots, dialogs } = services;
  const chain = openPlace(ports, place);
  if (at !== undefined) return { place, chain, at: chain.nodes[chain.indexOf(at)]!.id };
  if (chain.leaf === undefined) throw new CheckpointError('not-found', `The conversation ${place.name} is empty.`);
  const picked = await pickPoint(dialogs, title, chain, place, allConversations(ports, roots));
  if (picked === undefined) return undefined;
  return isPlace(picked) ? await choose(services, picked, undefined) : { place, chain, at: picked.id };
}

interface Context {
  /** Absent: all that was said. */
  readonly rebuilt?: ChainRebuild;
}

/** All that was said up to there, or less. Without anything to summarise there is no question. */
async function pickContext(
  { ports, dialogs }: Services,
  { root }: Place,
  chain: Chain,
  at: string,
  agent: string,
): Promise<Context | undefined> {
  const rebuilt = smaller(() => rebuildChain(ports, root.stores, chain, { at, waitMs: 0 }));
  if (rebuilt === undefined) return {};
  const tokens = (count: number) => `≈ ${count.toLocaleString()} tokens`;
  const items = [
    { label: 'All that was said up to here', description: tokens(rebuilt.tokensBefore), value: {} },
    {
      label: 'A summary, then the newest messages',
      description: tokens(rebuilt.tokensAfter),
      detail: 'Agent: Rebuild Context shows it, and lets you change it.',
      value: { rebuilt },
    },
  ];
  return await dialogs.pick<Context>(items, {
    title,
    placeHolder: `What does the new session of ${agent} begin with?`,
  });
}

function smaller(make: () => ChainRebuild): ChainRebuild | undefined {
  try {
    const rebuilt = make();
    return rebuilt.noOp || rebuilt.summary === undefined ? undefined : rebuilt;
  } catch (error) {
    // Where a part of our own record is damaged, the agent's may be whole.
    if (CheckpointError.is(error, 'damaged')) return undefined;
    throw error;
  }
}

async function rebuildInstead({ dialogs }: Services, place: Place, at: string, refusal: string): Promise<void> {
  void dialogs.tell('info', `${refusal} A rebuilt context can be handed to it instead.`);
  const target = { conversation: place.name, root: place.root.hash, at };
  await vscode.commands.executeCommand('agentCheckpoints.rebuildContext', target);
}

async function start({ dialogs, log }: Services, forked: ForkedSession, agent: string): Promise<void> {
  const { before, cwd, file, session } = forked;
  log.info('fork', `${forked.agent} ${session}: ${file}`);
  if (before !== undefined && !(await runBefore(before, cwd))) {
    const text = `${agent} could not take the new session. It is kept as ${file}.`;
    return void (await dialogs.tell('error', text));
  }
  openAgentTerminal(`${agent}: fork`, vscode.Uri.file(cwd), forked.start);

  async function runBefore({ program, args }: ProgramCall, dir: string): Promise<boolean> {
    try {
      const options = { location: vscode.ProgressLocation.Notification, title: `Giving ${agent} the new session` };
      await vscode.window.withProgress(options, () =>
        promisify(execFile)(program, [...args], { cwd: dir, timeout: beforeLimit }),
      );
      return true;
    } catch (error) {
      log.error('fork', messageOf(error), error);
      return false;
    }
  }
}
