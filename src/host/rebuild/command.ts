// Agent: Rebuild Context. From a conversation and a point in it to the preview.
import { CheckpointError } from '../../core/errors';
import { isPlace, pickPoint } from '../conversations/points';
import type { ConversationTarget } from '../conversations/target';
import type { Services } from '../services';
import { allConversations, openPlace, placeOf, pointsOf, type Place, type Point } from './conversations';
import type { RebuildPanel } from './panel';
import { RebuildSession } from './session';

export function rebuildCommands(
  services: Services,
  panel: RebuildPanel,
): { 'agentCheckpoints.rebuildContext': (target?: ConversationTarget) => Promise<void> } {
  const { ports, roots, dialogs } = services;
  return { 'agentCheckpoints.rebuildContext': rebuildContext };

  async function rebuildContext(target?: ConversationTarget): Promise<void> {
    if (target === undefined && allConversations(ports, roots).length === 0) {
      const text =
        'There is no conversation with an agent in this workspace yet. It appears as soon as an agent that is set up works here.';
      return void (await dialogs.tell('info', text));
    }
    const chosen = await choose(placeOf(ports, roots, target?.conversation, target?.root), target?.at);
    if (chosen !== undefined) panel.show(chosen, () => rebuildContext());
  }

  async function choose(place: Place, at: string | undefined): Promise<RebuildSession | undefined> {
    const chain = openPlace(ports, place);
    const points = pointsOf(chain);
    const { leaf } = chain;
    if (leaf === undefined) throw new CheckpointError('not-found', `The conversation ${place.name} is empty.`);
    const now: Point = { id: leaf, label: 'Where the conversation is now', ts: undefined };
    if (at !== undefined)
      return await open(
        place,
        points.find(({ id }) => id === at) ?? { id: chain.nodes[chain.indexOf(at)]!.id, label: at, ts: undefined },
      );
    const all = allConversations(ports, roots);
    if (points.length <= 1 && all.length <= 1) return await open(place, now);
    const picked = await pickPoint(dialogs, 'Rebuild Context', chain, place, all);
    if (picked === undefined) return undefined;
    return isPlace(picked) ? await choose(picked, undefined) : await open(place, picked);
  }

  async function open(place: Place, { id, label }: Point): Promise<RebuildSession | undefined> {
    const make = (partial: boolean) =>
      new RebuildSession(ports, place.root, openPlace(ports, place), id, `Up to: ${label}`, partial);
    try {
      return make(false);
    } catch (error) {
      if (!CheckpointError.is(error, 'damaged')) throw error;
      const answer = await dialogs.confirm('A part of this conversation is damaged.', error.message, [
        'Use What Is Left',
      ]);
      return answer === undefined ? undefined : make(true);
    }
  }
}
