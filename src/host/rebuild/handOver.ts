// What a person does with a rebuilt context. Each says what happened.
import path from 'node:path';
import * as vscode from 'vscode';
import { startCommand } from '../../agents/startCommand';
import { keepDistilled } from '../../core/context/rebuildChain';
import { strictMessages } from '../../core/context/strict';
import { ensureDir, writeFileAtomic } from '../../core/state/atomicFile';
import { leaveForNextStart } from '../../core/state/nextStart';
import { openAgentTerminal } from '../conversations/agentTerminal';
import type { Services } from '../services';
import { requireTrust } from '../trust';
import type { RebuildSession } from './session';

type Tools = Pick<Services, 'ports' | 'dialogs' | 'log'>;

/** Characters of one argument that every system takes; more goes through a file. */
const maxArgument = 100_000;

const introduction =
  'Go on with the work of an earlier conversation. This is its context: a summary of what was before, then the newest messages word for word.';

export const promptOf = (session: RebuildSession): string => `${introduction}\n\n${session.markdown}`;

/**
 * Into the chat's input, not sent: the person adds what is to be done. Nothing tells whether this window has a chat, so
 * the clipboard has it too.
 */
export async function toChat({ log }: Tools, session: RebuildSession): Promise<string> {
  const query = promptOf(session);
  await vscode.env.clipboard.writeText(query);
  try {
    await vscode.commands.executeCommand('workbench.action.chat.open', { query, isPartialQuery: true });
    return 'The context was put into the input of VS Code’s chat: add what is to be done next, and send it. Should no chat have opened, the clipboard has it too.';
  } catch (error) {
    log.error('rebuild', 'The chat could not be opened', error);
    return 'VS Code’s chat could not be opened. The context is in the clipboard instead.';
  }
}

/** Whose start hook takes a context. */
export const startAgentOf = ({ agent }: RebuildSession): string | undefined =>
  agent === 'claude-code' ? 'Claude Code' : undefined;

export async function toNextStart({ ports, dialogs }: Tools, session: RebuildSession): Promise<string> {
  if (!(await requireTrust(dialogs, 'Giving a context to an agent'))) return '';
  leaveForNextStart(ports, { agent: session.agent!, root: session.root.path }, startText(ports, session));
  return `${startAgentOf(session)} gets the context when it next starts in ${session.root.name}, once, within a day. Its hooks have to be set up.`;
}

/** Characters that agents take from a hook at least. */
const maxStart = 9500;

function startText(ports: Tools['ports'], session: RebuildSession): string {
  const text = promptOf(session);
  if (text.length <= maxStart) return text;
  const note = `${introduction} It is in a file. Read it before you go on: ${contextFile(ports, session, text)}`;
  const summary = session.result.summary?.text ?? '';
  return `${note}\n\n${summary.slice(0, maxStart - note.length - 100).toWellFormed()}`;
}

/** In user state. @returns its absolute path */
function contextFile(ports: Tools['ports'], session: RebuildSession, text: string): string {
  const file = path.join(ports.stateDir, 'contexts', `${session.chain.name}.md`);
  ensureDir(ports, path.dirname(file));
  writeFileAtomic(ports, file, text);
  return file;
}

export async function toTerminal({ ports, dialogs }: Tools, session: RebuildSession): Promise<string> {
  const command = startCommand(session.agent);
  if (command === undefined || !(await requireTrust(dialogs, 'Starting an agent'))) return '';
  const text = promptOf(session);
  let prompt = text;
  if (Buffer.byteLength(text) > maxArgument) {
    prompt = `Go on with the work of an earlier conversation. Read its context first: ${contextFile(ports, session, text)}`;
  }
  openAgentTerminal(`${command.name}: ${session.chain.name}`, session.root.folder.uri, {
    program: command.program,
    args: [...command.options, prompt],
  });
  return `A terminal was opened in which ${command.name} starts, with the context as its first prompt.`;
}

export async function toClipboard(session: RebuildSession): Promise<string> {
  await vscode.env.clipboard.writeText(session.markdown);
  return 'The context was copied as Markdown.';
}

export async function toFile(session: RebuildSession, form: 'markdown' | 'json'): Promise<string> {
  const extension = form === 'markdown' ? 'md' : 'json';
  const uri = await vscode.window.showSaveDialog({
    title: 'Save the Rebuilt Context',
    defaultUri: vscode.Uri.joinPath(session.root.folder.uri, `${session.chain.name}-context.${extension}`),
    filters: form === 'markdown' ? { Markdown: ['md'] } : { JSON: ['json'] },
  });
  if (uri === undefined) return '';
  const text =
    form === 'markdown'
      ? session.markdown
      : `${JSON.stringify(strictMessages(session.result.messages), undefined, 2)}\n`;
  await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
  return `Saved as ${path.posix.basename(uri.path)}.`;
}

export async function toChain({ ports, dialogs }: Tools, session: RebuildSession): Promise<string> {
  if (!(await requireTrust(dialogs, 'Writing to the conversation'))) return '';
  const id = keepDistilled(ports, session.root.stores, session.chain, session.forChain);
  return id === undefined
    ? 'The conversation has this summary already.'
    : 'The summary is kept in the conversation: the next rebuild begins with it.';
}
