/** Credits of one account that this gateway may spend within a limited time. */
export class Lease {
  /** The granted credits; 0 until entitlement has answered. */
  amount = 0;
  /** The credits charged so far; this number never decreases. */
  consumed = 0;
  /** The operation of all charges, as long as there is only one. Most leases then need no object with totals. */
  private operation?: string = undefined;
  private totals?: Record<string, number> = undefined;
  reserved = 0;
  /** The highest total that entitlement has acknowledged. */
  settled = 0;
  isUnsettled = false;
  /**
   * The monotonic time, in whole milliseconds, until which a request may start on the lease. V8 stores a whole number
   * without a heap object.
   */
  usableUntilMs = 0;
  /** Whether the lease accepts no new request and is closed after its last running request. */
  isClosing = false;
  /** The next lease of the same pool. With 100,000 accounts, linked lists need less memory than arrays. */
  nextInPool?: Lease = undefined;

  /** @param number the short name of the lease in the journal. */
  constructor(
    readonly id: string,
    readonly accountId: string,
    readonly number: number,
  ) {}

  charge(credits: number, operation: string | undefined): void {
    if (this.consumed === 0) this.operation = operation;
    else if (operation !== this.operation) this.totals ??= this.chargedBy ?? {};
    this.consumed += credits;
    if (this.totals === undefined || operation === undefined) return;
    this.totals[operation] = (this.totals[operation] ?? 0) + credits;
  }

  /** Returns a copy of the credits by operation; undefined before the first charge of a named operation. */
  get chargedBy(): Record<string, number> | undefined {
    if (this.totals !== undefined) return { ...this.totals };
    return this.operation === undefined ? undefined : { [this.operation]: this.consumed };
  }

  chargedFor(operation: string): number {
    return this.totals === undefined ? this.consumed : this.totals[operation];
  }

  hasRoomFor(cost: number, nowMs: number): boolean {
    return (
      !this.isClosing &&
      nowMs < this.usableUntilMs &&
      this.amount - this.consumed - this.reserved >= cost
    );
  }
}
