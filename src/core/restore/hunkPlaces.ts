// Where the regions that a change made are in a file as it is now. Pure.
import { regionsBetween, type Region } from './hunks';

/** A change: the lines after it, and its regions with the lines that they replaced. */
export interface Changed {
  readonly post: readonly string[];
  readonly hunks: readonly (Pick<Region, 'start' | 'end'> & { readonly oldLines: readonly string[] })[];
}

/** `at`: the line of `current` where the region begins; it has all of its lines, one after the other. */
export type Place =
  | { readonly type: 'stands'; readonly at: number }
  | { readonly type: 'undone'; readonly at: number }
  | { readonly type: 'changed' };

/** One for each hunk, in order; undefined where the comparison takes too long. */
export function placesIn(changed: Changed, current: readonly string[]): readonly Place[] | undefined {
  return explain(changed, current) ?? compare(changed, current);
}

/**
 * As {@link placesIn}, where the file is exactly what the change left but for some regions that are as before it:
 * then nothing has to be guessed. With `prefer`, that hunk counts as standing if both explain it.
 */
export function explain(
  { post, hunks }: Changed,
  current: readonly string[],
  prefer?: number,
): readonly Place[] | undefined {
  interface Way {
    readonly at: number;
    readonly place?: Place;
    readonly before?: Way;
  }
  const matches = (lines: readonly string[], from: number, to: number, at: number) => {
    if (at + to - from > current.length) return false;
    for (let i = from; i < to; i++) if (lines[i] !== current[at + i - from]) return false;
    return true;
  };
  let ways: Way[] = [{ at: 0 }];
  let from = 0;
  for (const [i, { start, end, oldLines }] of hunks.entries()) {
    const next = new Map<number, Way>();
    for (const way of ways) {
      if (!matches(post, from, start, way.at)) continue;
      const at = way.at + start - from;
      const stands = matches(post, start, end, at);
      if (stands) setOnce(next, { at: at + end - start, place: { type: 'stands', at }, before: way });
      if (prefer === i && stands) continue;
      if (matches(oldLines, 0, oldLines.length, at)) {
        setOnce(next, { at: at + oldLines.length, place: { type: 'undone', at }, before: way });
      }
    }
    ways = [...next.values()].slice(0, maxWays);
    from = end;
  }
  const whole = ways.find(
    ({ at }) => matches(post, from, post.length, at) && at + post.length - from === current.length,
  );
  if (whole === undefined) return undefined;
  const places: Place[] = [];
  for (let way: Way | undefined = whole; way?.place; way = way.before) places.push(way.place);
  return places.reverse();

  function setOnce(map: Map<number, Way>, way: Way): void {
    if (!map.has(way.at)) map.set(way.at, way);
  }
}

/** Ways to explain a file that are followed at once. */
const maxWays = 64;

function compare({ post, hunks }: Changed, current: readonly string[]): readonly Place[] | undefined {
  const regions = regionsBetween(post, current);
  if (regions === undefined) return undefined;
  /** How far a line of `post` outside of the regions has moved. */
  const moved = (line: number) => {
    const above = regions.findLast(({ oldEnd, oldStart }) => oldEnd <= line && oldStart <= line);
    return above ? above.end - above.oldEnd : 0;
  };
  const isKept = (line: number) => !regions.some(({ oldStart, oldEnd }) => oldStart <= line && line < oldEnd);
  return hunks.map(({ start, end }): Place => {
    if (start === end) return placeOfRemoval(start);
    const touched = regions.some(
      ({ oldStart, oldEnd }) => oldStart < end && start < (oldStart === oldEnd ? oldStart : oldEnd),
    );
    return touched ? { type: 'changed' } : { type: 'stands', at: start + moved(start) };
  });

  /** Between which lines the removed ones were is clear as long as one of both is there, and nothing new between. */
  function placeOfRemoval(line: number): Place {
    if (regions!.some(({ oldStart, oldEnd }) => oldStart === line && oldEnd === line)) return { type: 'changed' };
    if (line === 0) return { type: 'stands', at: 0 };
    if (isKept(line - 1)) return { type: 'stands', at: line + moved(line - 1) };
    if (line === post.length) return { type: 'stands', at: current.length };
    return isKept(line) ? { type: 'stands', at: line + moved(line) } : { type: 'changed' };
  }
}
