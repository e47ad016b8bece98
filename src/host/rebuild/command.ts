// Agent: Rebuild Context. From a conversation and a point in it to the preview.
import { CheckpointError } from '../../core/errors';
import type { Handlers } from '../contributions';
import { withoutIcons } from '../dialogs';
import type { Services } from '../services';
import { allConversations, openPlace, placeOf, pointsOf, type Place, type Point } from './conversations';
import type { RebuildPanel } from './panel';
import { RebuildSession } from './session';

/** What a view or a script may pass along. */
export interface RebuildTarget {
  readonly conversation: string;
  readonly at?: string;
}

const otherConversation = Symbol('other');

export function rebuildCommands(
  services: Services,
  panel: RebuildPanel,
): Pick<Handlers, 'agentCheckpoints.rebuildContext'> {
  const { ports, roots, dialogs } = services;
  return { 'agentCheckpoints.rebuildContext': (target) => rebuildContext(targetOf(target)) };

  async function rebuildContext(target?: RebuildTarget): Promise<void> {
    if (target === undefined && allConversations(ports, roots).length === 0) {
      const text =
        'There is no conversation with an agent in this workspace yet. It appears as soon as an agent that is set up works here.';
      return void (await dialogs.tell('info', text));
    }
    const chosen = await choose(placeOf(ports, roots, target?.conversation), target?.at);
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
    const others = allConversations(ports, roots).length > 1;
    if (points.length <= 1 && !others) return await open(place, now);
    const items = [
      { label: now.label, description: withoutIcons(place.name), value: now },
      ...points.map((point) => ({
        label: withoutIcons(point.label),
        description: `up to and with it${timeOf(point.ts)}`,
        value: point,
      })),
      ...(others ? [{ label: 'Another conversation…', value: otherConversation }] : []),
    ];
    const point = await dialogs.pick<Point | typeof otherConversation>(items, {
      title: 'Rebuild Context',
      placeHolder: `Up to which point of ${place.name}?`,
      matchOnDescription: true,
    });
    if (point === undefined) return undefined;
    if (point !== otherConversation) return await open(place, point as Point);
    const other = await pickConversation();
    return other === undefined ? undefined : await choose(other, undefined);
  }

  async function pickConversation(): Promise<Place | undefined> {
    const items = allConversations(ports, roots).map((place) => ({
      label: withoutIcons(place.name),
      description: `${withoutIcons(place.root.name)}${timeOf(new Date(place.changedAt).toISOString())}`,
      value: place,
    }));
    return await dialogs.pick<Place>(items, { title: 'Rebuild Context', placeHolder: 'Which conversation?' });
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

function targetOf(value: unknown): RebuildTarget | undefined {
  const { conversation, at } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  if (typeof conversation !== 'string') return undefined;
  return { conversation, ...(typeof at === 'string' && { at }) };
}

function timeOf(ts: string | undefined): string {
  const time = ts === undefined ? Number.NaN : Date.parse(ts);
  return Number.isNaN(time) ? '' : `, ${new Date(time).toLocaleString()}`;
}
