/** Credits of one account that this gateway may spend for a while. */
export class Lease {
  /** Granted credits; 0 until entitlement has answered. */
  amount = 0;
  /** Credits charged so far; only rises. */
  consumed = 0;
  /** Credits of requests under way. */
  reserved = 0;
  /** The highest total that entitlement has acknowledged. */
  settled = 0;
  /** Monotonic milliseconds until which a request may start on it. */
  usableUntilMs = 0;
  /** Monotonic milliseconds at which it is closed at the latest. */
  expiresAtMs = 0;
  /** Takes no new request; closed when the last one under way has ended. */
  isClosing = false;

  /** @param number its short name in the journal. */
  constructor(
    readonly id: string,
    readonly accountId: string,
    readonly number: number,
  ) {}

  hasRoomFor(cost: number, nowMs: number): boolean {
    return (
      !this.isClosing &&
      nowMs < this.usableUntilMs &&
      this.amount - this.consumed - this.reserved >= cost
    );
  }
}
