import { SECOND_MS, monotonicMs } from '#libs/platform';

/** An account loses its turn if it does not ask for this long, because its item was cancelled, for example. */
const FORGOTTEN_MS = 10 * SECOND_MS;

/** An item of work of an account. */
export interface LongItem {
  id: string;
  accountId: string;
}

/**
 * Whose long item is done next. Long items of a runner are done one at a time, so that they leave its other places to
 * short ones, and accounts take turns in the order in which they asked (S105).
 */
export class LongTurns {
  private running?: string;
  /** When each waiting account asked last; the one that has waited longest is first. */
  private readonly waiting = new Map<string, number>();

  /**
   * Begins an item, or continues it. @returns false if it is not its turn yet; then it asks again within seconds.
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
