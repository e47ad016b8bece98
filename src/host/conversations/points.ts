// A person chooses a conversation, and a point of it.
import type { Chain } from '../../core/conversation/chain';
import { withoutIcons, type Dialogs, type Pick } from '../dialogs';
import type { Place, Point } from '../rebuild/conversations';
import { pointsOf } from '../rebuild/conversations';

const otherConversation = Symbol('other');

/** @param place whose points are offered first; the newest is the default */
export async function pickPoint(
  dialogs: Dialogs,
  title: string,
  chain: Chain,
  place: Place,
  others: readonly Place[],
): Promise<Point | Place | undefined> {
  const { leaf } = chain;
  const now: Pick<Point>[] =
    leaf === undefined
      ? []
      : [
          {
            label: 'Where the conversation is now',
            description: withoutIcons(place.name),
            value: { id: leaf, label: 'Where the conversation is now', ts: undefined },
          },
        ];
  const items: Pick<Point | typeof otherConversation>[] = [
    ...now,
    ...pointsOf(chain).map((point) => ({
      label: withoutIcons(point.label),
      description: `up to and with it${timeOf(point.ts)}`,
      value: point,
    })),
    ...(others.length > 1 ? [{ label: 'Another conversation…', value: otherConversation } as const] : []),
  ];
  const picked = await dialogs.pick<Point | typeof otherConversation>(items, {
    title,
    placeHolder: `Up to which point of ${place.name}?`,
    matchOnDescription: true,
  });
  return picked === otherConversation ? await pickConversation(dialogs, title, others) : (picked as Point | undefined);
}

export function pickConversation(dialogs: Dialogs, title: string, places: readonly Place[]) {
  const items = places.map((place) => ({
    label: withoutIcons(place.name),
    description: `${withoutIcons(place.root.name)}${timeOf(new Date(place.changedAt).toISOString())}`,
    value: place,
  }));
  return dialogs.pick<Place>(items, { title, placeHolder: 'Which conversation?' });
}

export const isPlace = (value: Point | Place): value is Place => 'root' in value;

function timeOf(ts: string | undefined): string {
  const time = ts === undefined ? Number.NaN : Date.parse(ts);
  return Number.isNaN(time) ? '' : `, ${new Date(time).toLocaleString()}`;
}
