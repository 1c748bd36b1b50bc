/** Credits of one account that this gateway may spend for a limited time. */
export class Lease {
  /** Granted credits; 0 until entitlement has answered. */
  amount = 0;
  /** Credits charged so far; never decreases. */
  consumed = 0;
  /** Credits by operation; undefined before the first charge of a named operation. */
  chargedBy?: Record<string, number> = undefined;
  /** Credits of running requests. */
  reserved = 0;
  /** The highest total that entitlement has acknowledged. */
  settled = 0;
  /** Whether the lease is in the list of leases to settle. */
  isUnsettled = false;
  /**
   * The monotonic time, in whole milliseconds, until which a request may start on the lease. A whole number needs no
   * heap object in V8.
   */
  usableUntilMs = 0;
  /** Whether it is about to close: it accepts no new request, and is closed when its last running request has ended. */
  isClosing = false;
  /** The next lease of the same pool. A linked list costs less than an array, 100,000 times. */
  nextInPool?: Lease = undefined;

  /** @param number the short name of the lease in the journal. */
  constructor(
    readonly id: string,
    readonly accountId: string,
    readonly number: number,
  ) {}

  charge(credits: number, operation: string | undefined): void {
    this.consumed += credits;
    if (operation === undefined) return;
    const chargedBy = (this.chargedBy ??= {});
    chargedBy[operation] = (chargedBy[operation] ?? 0) + credits;
  }

  hasRoomFor(cost: number, nowMs: number): boolean {
    return (
      !this.isClosing &&
      nowMs < this.usableUntilMs &&
      this.amount - this.consumed - this.reserved >= cost
    );
  }
}
