import type { ServerResponse } from 'node:http';
import { TooManyCalls } from '../service-calls/service-calls.errors.js';

/** The number of connections that a browser opens. */
const OF_AN_ACCOUNT = 6;

/**
 * Pages and calls of each account that are being answered. Some wait for a payment processor, which is called so
 * often a second and no more; others for the account's lock, each with one of account's few database connections: one
 * account's must not stand before everybody else's.
 */
export class CallsUnderWay {
  private readonly ofAccounts = new Map<string, number>();

  /** Counts a call until its answer has been sent or its caller has gone. @throws TooManyCalls. */
  enter(accountId: string, answer: ServerResponse): void {
    const count = this.ofAccounts.get(accountId) ?? 0;
    if (count >= OF_AN_ACCOUNT) throw new TooManyCalls();
    // A client that has already left sends no further event.
    if (answer.destroyed) return;
    this.ofAccounts.set(accountId, count + 1);
    answer.once('close', () => this.leave(accountId));
  }

  private leave(accountId: string): void {
    const count = this.ofAccounts.get(accountId)! - 1;
    if (count === 0) this.ofAccounts.delete(accountId);
    else this.ofAccounts.set(accountId, count);
  }
}
