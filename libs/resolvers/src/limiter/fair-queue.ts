/** The waiting queries by caller. Callers take turns, however many queries one of them has waiting. */
export class FairQueue<WaitingQuestion> {
  /** The waiting queries of each caller, callers in the order of their turns. */
  private readonly byAsker = new Map<string, WaitingQuestion[]>();
  length = 0;

  push(asker: string, waiter: WaitingQuestion): void {
    const own = this.byAsker.get(asker);
    if (own) own.push(waiter);
    else this.byAsker.set(asker, [waiter]);
    this.length += 1;
  }

  /**
   * Removes the oldest waiter of the caller whose turn it is; that caller then comes last.
   * @param freeFor returns the number of free slots for a caller. A caller without a free slot is skipped and keeps
   * its turn.
   * @returns the waiter; undefined if no waiting caller has a free slot.
   */
  shift(freeFor: (asker: string) => number): WaitingQuestion | undefined {
    for (const [asker, own] of this.byAsker) {
      if (freeFor(asker) <= 0) continue;
      const waiter = own.shift();
      this.byAsker.delete(asker);
      if (own.length > 0) this.byAsker.set(asker, own);
      this.length -= 1;
      return waiter;
    }
    return undefined;
  }

  /** Returns how many of the waiting queries could start at once if only the slots per caller mattered. */
  countFree(freeFor: (asker: string) => number): number {
    let count = 0;
    for (const [asker, own] of this.byAsker) {
      count += Math.max(0, Math.min(own.length, freeFor(asker)));
    }
    return count;
  }

  /**
   * Removes and returns the newest waiter that may leave, of the caller that has the most of them; undefined if no
   * caller has more than `count` of them.
   */
  pop(mayLeave: (waiter: WaitingQuestion) => boolean, count = 0): WaitingQuestion | undefined {
    const [most] = [...this.byAsker]
      .map(([asker, own]) => ({ asker, leaving: own.filter(mayLeave) }))
      .toSorted((a, b) => b.leaving.length - a.leaving.length);
    if (most === undefined || most.leaving.length <= count) return undefined;
    const waiter = most.leaving.at(-1)!;
    this.remove(most.asker, waiter);
    return waiter;
  }

  /** Removes a waiting query. @returns false if the query is no longer waiting. */
  remove(asker: string, waiter: WaitingQuestion): boolean {
    const own = this.byAsker.get(asker);
    const at = own?.indexOf(waiter) ?? -1;
    if (own === undefined || at < 0) return false;
    own.splice(at, 1);
    if (own.length === 0) this.byAsker.delete(asker);
    this.length -= 1;
    return true;
  }

  /** Returns the turn, counted from 1, at which one more query of a caller would run at the latest. */
  placeOf(asker: string): number {
    const own = this.countOf(asker);
    const askers = this.byAsker.size + (own === 0 ? 1 : 0);
    return Math.min(this.length, own * askers + askers - 1) + 1;
  }

  countOf(asker: string): number {
    return this.byAsker.get(asker)?.length ?? 0;
  }

  clear(): WaitingQuestion[] {
    const all = [...this.byAsker.values()].flat();
    this.byAsker.clear();
    this.length = 0;
    return all;
  }
}
