/** The waiting questions by asker: each asker's turn comes round, however many questions another one has waiting. */
export class FairQueue<WaitingQuestion> {
  /** Askers in the order of their turns; none is without a waiter. */
  private readonly byAsker = new Map<string, WaitingQuestion[]>();
  length = 0;

  push(asker: string, waiter: WaitingQuestion): void {
    const own = this.byAsker.get(asker);
    if (own) own.push(waiter);
    else this.byAsker.set(asker, [waiter]);
    this.length += 1;
  }

  /**
   * The oldest waiter of the asker whose turn it is, who then stands last.
   *
   * @param freeFor places that are free for an asker; one without any is passed over and keeps its turn.
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

  /** How many could start at once if no other place were taken. */
  countFree(freeFor: (asker: string) => number): number {
    let count = 0;
    for (const [asker, own] of this.byAsker) {
      count += Math.max(0, Math.min(own.length, freeFor(asker)));
    }
    return count;
  }

  /** The youngest waiter of the asker who has most of them. */
  pop(): WaitingQuestion | undefined {
    let most: [string, WaitingQuestion[]] | undefined;
    for (const entry of this.byAsker) {
      if (most === undefined || entry[1].length > most[1].length) most = entry;
    }
    if (most === undefined) return undefined;
    const [asker, own] = most;
    const waiter = own.pop();
    if (own.length === 0) this.byAsker.delete(asker);
    this.length -= 1;
    return waiter;
  }

  /** @returns false when it does not wait any more. */
  remove(asker: string, waiter: WaitingQuestion): boolean {
    const own = this.byAsker.get(asker);
    const at = own?.indexOf(waiter) ?? -1;
    if (own === undefined || at < 0) return false;
    own.splice(at, 1);
    if (own.length === 0) this.byAsker.delete(asker);
    this.length -= 1;
    return true;
  }

  /** The turn, counted from 1, in which one more question of an asker would go. */
  placeOf(asker: string): number {
    const own = this.countOf(asker);
    const askers = this.byAsker.size + (own === 0 ? 1 : 0);
    return Math.min(this.length, own * askers + askers - 1) + 1;
  }

  countOf(asker: string): number {
    return this.byAsker.get(asker)?.length ?? 0;
  }

  /** Takes all out. */
  clear(): WaitingQuestion[] {
    const all = [...this.byAsker.values()].flat();
    this.byAsker.clear();
    this.length = 0;
    return all;
  }
}
