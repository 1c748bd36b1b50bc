import type { Transaction } from '#libs/database';

export interface LockRequest {
  /** The account id, which determines the bucket, so that one account's events stay in order. */
  key: string;
  /** `<kind>:<id>`. State events of one aggregate replace one another. */
  aggregate: string;
  /** The W3C trace context of the cause; by default, the trace context of the current request. */
  traceparent?: string;
}

/** Proof that an aggregate's row is locked, with the sequence number of the one event that it allows. */
export class AggregateLock {
  private isSpent = false;

  constructor(
    private readonly transaction: Transaction,
    readonly request: LockRequest,
    /** Decimal string: microseconds of the database clock, or the sequence of the previous event plus one. */
    readonly sequence: string,
  ) {}

  /**
   * Uses up the lock. @throws Error if an event was already written with it, or if it belongs to another transaction.
   */
  spend(transaction: Transaction): void {
    const { aggregate } = this.request;
    if (transaction !== this.transaction) {
      throw new Error(`the lock of ${aggregate} belongs to another transaction`);
    }
    if (this.isSpent) throw new Error(`the lock of ${aggregate} was already used for an event`);
    this.isSpent = true;
  }
}
