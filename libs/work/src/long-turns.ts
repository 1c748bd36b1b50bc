import { SECOND_MS, monotonicMs } from '#libs/platform';

/** After this time without a request, an account loses its turn, because its item may have been cancelled. */
const FORGOTTEN_MS = 10 * SECOND_MS;

export interface LongItem {
  id: string;
  accountId: string;
}

/**
 * Decides whose long item is done next. A runner does long items one at a time, so that its other places remain free
 * for short ones, and accounts take turns in the order they asked (S105).
 */
export class LongTurns {
  private running?: string;
  /** When each waiting account asked last; the one that has waited longest is first. */
  private readonly waiting = new Map<string, number>();

  /**
   * Begins or continues an item. @returns false if it is not the item's turn yet; the caller then asks again within
   * ten seconds.
   * @param nowMs monotonic milliseconds.
   */
  begin({ id, accountId }: LongItem, nowMs: number = monotonicMs()): boolean {
    if (this.running === id) return true;
    for (const [waiting, askedMs] of this.waiting) {
      if (nowMs - askedMs > FORGOTTEN_MS) this.waiting.delete(waiting);
    }
    const [first = accountId] = this.waiting.keys();
    if (this.running !== undefined || first !== accountId) {
      this.waiting.set(accountId, nowMs);
      return false;
    }
    this.waiting.delete(accountId);
    this.running = id;
    return true;
  }

  /** Ends an item, whether it has begun or not. */
  end({ id }: Pick<LongItem, 'id'>): void {
    if (this.running === id) this.running = undefined;
  }
}
