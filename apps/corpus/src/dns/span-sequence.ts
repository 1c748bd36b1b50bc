export interface Span {
  value: string;
  firstMs: number;
  /** The first observation without the record; undefined while the record exists. */
  untilMs?: number;
}

export interface SightedAt {
  atMs: number;
  sourceId: number;
}

/** All values that existed at a certain time. */
export interface ValueSet extends SightedAt {
  values: readonly string[];
}

/** A span, with a source that saw the record in this period. */
export type SightedSpan = Span & Pick<SightedAt, 'sourceId'>;

export interface SpanEdits {
  added: SightedSpan[];
  /** The stored spans that `added` replaces. */
  removed: Span[];
  /** Whether the newest values differ from the previous ones. */
  isNews: boolean;
}

/**
 * Merges new observations of all values of one type into the known ones, by the time of observation; the order of
 * arrival does not matter.
 *
 * @param spans at least those that touch the period from the first to the last of `sightings` and `seen`.
 * @param sightings the newest known sighting before the new ones, all known ones in between, and the earliest one after
 *   them.
 */
export function spanEdits(
  spans: readonly Span[],
  sightings: readonly SightedAt[],
  seen: readonly ValueSet[],
): SpanEdits {
  const edits: SpanEdits = { added: [], removed: [], isNews: false };
  const known = new Set(sightings.map(({ atMs }) => atMs));
  const fresh = new Map(
    seen.filter(({ atMs }) => !known.has(atMs)).map(({ atMs, values }) => [atMs, new Set(values)]),
  );
  if (fresh.size === 0) return edits;
  // If two sources saw the record at the same time, the source that was known earlier wins.
  const sourceAt = new Map([...seen, ...sightings].map(({ atMs, sourceId }) => [atMs, sourceId]));
  const times = [...sourceAt.keys()].toSorted((a, b) => a - b);
  const isNewest = fresh.has(times.at(-1)!);
  const near = spans.filter((span) => touches(span, times[0], times.at(-1)!));
  const byValue = Map.groupBy(near, ({ value }) => value);
  const values = new Set([...byValue.keys(), ...[...fresh.values()].flatMap((set) => [...set])]);
  for (const value of values) {
    const old = byValue.get(value) ?? [];
    const isThere = (atMs: number) =>
      fresh.get(atMs)?.has(value) ?? old.some((span) => covers(span, atMs));
    const next = runsOf(value, times, isThere).map((run) => joinedWith(run, old, times));
    edits.added.push(
      ...next
        .filter((span) => !old.some((one) => isSame(one, span)))
        .map(({ sightedMs, ...span }) => ({ ...span, sourceId: sourceAt.get(sightedMs)! })),
    );
    edits.removed.push(...old.filter((span) => !next.some((one) => isSame(one, span))));
    const wasThere = old.some(({ untilMs }) => untilMs === undefined);
    if (isNewest && wasThere !== isThere(times.at(-1)!)) edits.isNews = true;
  }
  return edits;
}

interface Run extends Span {
  lastMs: number;
}

function runsOf(value: string, times: readonly number[], isThere: (atMs: number) => boolean) {
  const runs: Run[] = [];
  let run: Run | undefined;
  for (const atMs of times) {
    if (!isThere(atMs)) {
      if (run) run.untilMs = atMs;
      run = undefined;
    } else if (run) run.lastMs = atMs;
    else runs.push((run = { value, firstMs: atMs, lastMs: atMs }));
  }
  return runs;
}

/** Extends a run that reaches the edge of the range that was read: the run becomes as long as the stored span. */
function joinedWith(run: Run, old: readonly Span[], times: readonly number[]) {
  const { value, firstMs, untilMs, lastMs } = run;
  const begun = firstMs === times[0] ? old.find((span) => covers(span, firstMs)) : undefined;
  const going = lastMs === times.at(-1) ? old.find((span) => covers(span, lastMs)) : undefined;
  return {
    value,
    firstMs: begun?.firstMs ?? firstMs,
    untilMs: untilMs ?? going?.untilMs,
    sightedMs: firstMs,
  };
}

const covers = ({ firstMs, untilMs }: Span, atMs: number) =>
  firstMs <= atMs && (untilMs === undefined || untilMs > atMs);

const touches = ({ firstMs, untilMs }: Span, fromMs: number, toMs: number) =>
  firstMs <= toMs && (untilMs === undefined || untilMs > fromMs);

const isSame = (a: Span, b: Span) => a.firstMs === b.firstMs && a.untilMs === b.untilMs;
