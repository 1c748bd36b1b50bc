export interface UsedOnDay {
  date: string;
  name: string;
  requests: number;
  failed: number;
  credits: number;
}

export type Figure = 'requests' | 'credits' | 'failed';

/** Number of names with colours of their own. The other names share one colour. */
const NAMED_MAX = 5;
const OTHERS = 'others';

export interface Series {
  name: string;
  byDay: ReadonlyMap<string, number>;
  total: number;
}

/** Returns a series for each of the largest names, largest first, then one for all other names together. */
export function seriesOf(used: readonly UsedOnDay[], figure: Figure): Series[] {
  const byName = Map.groupBy(used, ({ name }) => name);
  const ranked = [...byName]
    .map(([name, days]) => ({ name, days, total: sumOf(days, figure) }))
    .filter(({ total }) => total > 0)
    .toSorted((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
  const others = ranked.slice(NAMED_MAX).flatMap(({ days }) => days);
  const named = ranked.slice(0, NAMED_MAX).map(({ name, days }) => series(name, days, figure));
  return others.length === 0 ? named : [...named, series(OTHERS, others, figure)];
}

export const sumOf = (days: readonly UsedOnDay[], figure: Figure) =>
  days.reduce((sum, day) => sum + day[figure], 0);

function series(name: string, days: readonly UsedOnDay[], figure: Figure): Series {
  const byDay = new Map<string, number>();
  for (const day of days) byDay.set(day.date, (byDay.get(day.date) ?? 0) + day[figure]);
  return { name, byDay, total: sumOf(days, figure) };
}
