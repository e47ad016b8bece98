// What can be done with a checkpoint of a conversation, from the panel.
import * as vscode from 'vscode';
import { forkInPlace } from '../../core/conversation/append';
import type { Chain } from '../../core/conversation/chain';
import { pathTo } from '../../core/conversation/chainNode';
import { addedMessages, oneLine, shownMessage } from '../../core/conversation/shown';
import type { Ports } from '../../core/ports';
import type { RestoreTarget } from '../../core/restore/types';
import { readKey } from '../../core/state/key';
import type { CheckpointId } from '../../core/store/ids';
import { asListed, findCheckpoint, listIds, readMeta } from '../../core/store/reader';
import type { PanelAction } from '../../protocol/conversation';
import type { CommandId } from '../contributions';
import type { ConversationSource } from '../conversations/source';
import type { ConversationTarget } from '../conversations/target';
import type { Dialogs } from '../dialogs';
import type { Previews } from '../preview/open';
import type { RestoreFlow } from '../restore/flow';
import { groupTurns } from '../timeline/turns';
import { counted } from '../timeline/words';
import { requireTrust } from '../trust';

export class PanelActions {
  constructor(
    private readonly ports: Ports,
    private readonly dialogs: Dialogs,
    private readonly previews: Previews,
    private readonly restore: RestoreFlow,
  ) {}

  /** Only those that do something here. */
  of(source: ConversationSource, index: number): PanelAction[] {
    const { chain } = source;
    const node = chain.nodes[index];
    if (node === undefined) return [];
    const hasLater = filesAfter(chain, index) !== undefined;
    // A running agent goes on from its own file, not from ours.
    const isOurs = node.source === undefined && node.id !== chain.leaf;
    return [
      ...(node.files.length > 0 ? (['previewFiles'] as const) : []),
      ...(hasLater ? (['rewindFiles'] as const) : []),
      ...(isOurs ? (['rewindConversation'] as const) : []),
      ...(isOurs && hasLater ? (['rewindBoth'] as const) : []),
      'fork',
      'rebuild',
      'copyMessages',
      'copyId',
    ];
  }

  async run(source: ConversationSource, action: PanelAction, index: number): Promise<void> {
    const { chain, root } = source;
    const node = chain.nodes[index];
    if (node === undefined || !this.of(source, index).includes(action)) return;
    switch (action) {
      case 'previewFiles':
        return this.#preview(source, node.files);
      case 'rewindFiles':
        return this.#rewindFiles(source, index);
      case 'rewindConversation':
        return this.#rewindConversation(source, index);
      case 'rewindBoth': {
        const newest = listIds(this.ports, root.stores)[0]?.id;
        await this.#rewindFiles(source, index);
        // Only where the files went back: both or none.
        const now = listIds(this.ports, root.stores)[0];
        if (now === undefined || now.id === newest || readMeta(this.ports, now.store, now.id).kind !== 'restore')
          return;
        forkInPlace(this.ports, root.stores, chain, node.id);
        return source.refresh();
      }
      case 'fork':
      case 'rebuild': {
        const target: ConversationTarget = { conversation: chain.name, root: root.hash, at: node.id };
        const command: CommandId =
          action === 'fork' ? 'agentCheckpoints.forkConversation' : 'agentCheckpoints.rebuildContext';
        await vscode.commands.executeCommand(command, target);
        return;
      }
      case 'copyMessages':
        return vscode.env.clipboard.writeText(this.#markdown(chain, index));
      case 'copyId':
        return vscode.env.clipboard.writeText(node.id);
    }
  }

  async #preview({ root }: ConversationSource, files: readonly CheckpointId[]): Promise<void> {
    const key = readKey(this.ports, { create: false });
    const listed = files.flatMap((id) => {
      try {
        const { store, meta } = findCheckpoint(this.ports, root.stores, id);
        return [asListed(this.ports, root.stores, store, meta, key)];
      } catch {
        return [];
      }
    });
    if (listed.length === 0) {
      await this.dialogs.tell('info', 'The checkpoints of these files are not kept any more.');
      return;
    }
    for (const turn of groupTurns(listed.reverse(), root.prefix)) await this.previews.openTurn(root, turn);
  }

  #rewindFiles({ root, chain }: ConversationSource, index: number): Promise<void> {
    const id = filesAfter(chain, index)!;
    const session = sessionOf(this.ports, root.stores, id);
    const target: RestoreTarget = { mode: 'rewind', id, ...(session !== undefined && { session }) };
    return this.restore.run(
      root,
      target,
      `what this conversation changed in files after “${this.#title(chain, index)}”`,
    );
  }

  async #rewindConversation(source: ConversationSource, index: number): Promise<void> {
    if (!(await requireTrust(this.dialogs, 'Rewinding a conversation'))) return;
    const { chain, root } = source;
    const { leaf } = chain;
    const here = new Set(pathTo(chain.nodes, index));
    const left = leaf === undefined ? 0 : pathTo(chain.nodes, chain.indexOf(leaf)).filter((at) => !here.has(at)).length;
    const answer = await this.dialogs.confirm(
      `Rewind the conversation to “${this.#title(chain, index)}”?`,
      `What is written next grows from there. ${counted(left, 'checkpoint')} after it ${left === 1 ? 'stays' : 'stay'} as a branch of their own; nothing is removed. Files stay as they are.`,
      ['Rewind'],
    );
    if (answer !== 'Rewind') return;
    forkInPlace(this.ports, root.stores, chain, chain.nodes[index]!.id);
    await source.refresh();
  }

  #messages(chain: Chain, index: number) {
    const node = chain.nodes[index]!;
    return addedMessages(chain.record(node.id), node, chain.nodes[node.parent]).map(shownMessage);
  }

  #title(chain: Chain, index: number): string {
    try {
      const text = this.#messages(chain, index).find((message) => message.text.trim() !== '')?.text ?? '';
      return oneLine(text).slice(0, 60) || chain.nodes[index]!.id;
    } catch {
      return chain.nodes[index]!.id;
    }
  }

  #markdown(chain: Chain, index: number): string {
    return this.#messages(chain, index)
      .map(({ role, text, calls }) =>
        [`**${role}**`, text, ...calls.map((call) => `\`${call.name}\`\n\n\`\`\`json\n${call.arguments}\n\`\`\``)]
          .filter((part) => part !== '')
          .join('\n\n'),
      )
      .join('\n\n');
  }
}

/** The first file checkpoint made after the node, on whatever branch; ids are in the order of time. */
function filesAfter(chain: Chain, index: number): CheckpointId | undefined {
  const here = new Set(pathTo(chain.nodes, index));
  let known = '';
  for (const at of here) for (const id of chain.nodes[at]!.files) if (id > known) known = id;
  let first: CheckpointId | undefined;
  chain.nodes.forEach(({ files }, at) => {
    if (here.has(at) || (known === '' && at < index)) return;
    for (const id of files) if (id > known && (first === undefined || id < first)) first = id;
  });
  return first;
}

function sessionOf(ports: Ports, stores: Parameters<typeof findCheckpoint>[1], id: CheckpointId): string | undefined {
  return findCheckpoint(ports, stores, id).meta.agent?.session;
}
