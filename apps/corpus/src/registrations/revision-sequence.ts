export interface Link {
  atMs: number;
  state: string;
}

/**
 * A stored observation. A revision begins a run of equal states; the later observations of the run confirm the
 * revision.
 */
export interface KeptLink extends Link {
  isRevision: boolean;
}

export interface SequenceEdits<Seen extends Link> {
  revisions: Seen[];
  confirmations: Seen[];
  /** Confirmations that now begin a run, because another state now precedes them. */
  promoted: KeptLink[];
  /** Revisions that now only confirm the same state of an earlier observation. */
  demoted: KeptLink[];
  /**
   * The last known state in the compared part of the sequence; undefined if there is none. It differs from `after` only
   * if the newest state of the sequence has changed.
   */
  before?: string;
  after?: string;
}

/**
 * Computes how new observations fit into a sequence, by their time. The result depends only on the observations, not on
 * their order of arrival; known observations change nothing.
 *
 * @param kept at least the newest link before the first observation, all links in between, and the earliest link after
 *   the last observation; other links are ignored.
 */
export function sequenceEdits<Seen extends Link>(
  kept: readonly KeptLink[],
  seen: readonly Seen[],
): SequenceEdits<Seen> {
  const links = joined(kept, seen);
  const edits: SequenceEdits<Seen> = {
    revisions: [],
    confirmations: [],
    promoted: [],
    demoted: [],
    before: links.findLast((link) => link.kept)?.state,
    after: links.at(-1)?.state,
  };
  let last: string | undefined;
  for (const [place, { state, kept: known, seen: fresh }] of links.entries()) {
    const isRevision = state !== last;
    last = state;
    if (fresh) (isRevision ? edits.revisions : edits.confirmations).push(fresh);
    // It is not known here what precedes the first link, so that link stays as it is.
    else if (known && place > 0 && known.isRevision !== isRevision) {
      (isRevision ? edits.promoted : edits.demoted).push(known);
    }
  }
  return edits;
}

interface Joined<Seen> extends Link {
  kept?: KeptLink;
  seen?: Seen;
}

function joined<Seen extends Link>(
  kept: readonly KeptLink[],
  seen: readonly Seen[],
): Joined<Seen>[] {
  const times = seen.map(({ atMs }) => atMs);
  const [firstMs, lastMs] = [Math.min(...times), Math.max(...times)];
  const ordered = kept.toSorted(inOrder);
  // Only the nearest link on each side is used: between this link and more distant links, there may be links that are
  // not in memory.
  const before = ordered.findLastIndex(({ atMs }) => atMs < firstMs);
  const behind = ordered.findIndex(({ atMs }) => atMs > lastMs);
  const near = ordered.slice(Math.max(0, before), behind === -1 ? undefined : behind + 1);
  const links = new Map<string, Joined<Seen>>();
  for (const link of near) links.set(nameOf(link), { ...link, kept: link });
  for (const one of seen) {
    const { atMs, state } = one;
    if (!links.has(nameOf(one))) links.set(nameOf(one), { atMs, state, seen: one });
  }
  return [...links.values()].toSorted(inOrder);
}

const nameOf = ({ atMs, state }: Link) => `${atMs} ${state}`;

/**
 * Compares links. States at the same time are also ordered, so that the result does not depend on the order of arrival.
 */
function inOrder(a: Link, b: Link): number {
  return a.atMs - b.atMs || (a.state < b.state ? -1 : Number(a.state > b.state));
}
