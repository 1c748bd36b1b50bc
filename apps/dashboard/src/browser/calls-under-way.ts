import type { ServerResponse } from 'node:http';
import { TooManyCalls } from '../service-calls/service-calls.errors.js';

/** The number of connections that a browser opens. */
const OF_AN_ACCOUNT = 6;

/**
 * Limits the pages and calls of each account that are being answered. Some wait for a payment processor, whose call
 * rate is limited; others for the account's lock, each holding one of account's few database connections. One account's
 * calls must not delay all others.
 */
export class CallsUnderWay {
  private readonly ofAccounts = new Map<string, number>();

  /** Counts a call until its answer has been sent or its caller has disconnected. @throws TooManyCalls. */
  enter(accountId: string, answer: ServerResponse): void {
    const count = this.ofAccounts.get(accountId) ?? 0;
    if (count >= OF_AN_ACCOUNT) throw new TooManyCalls();
    // A client that has already disconnected causes no further event.
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
