import type { ServerResponse } from 'node:http';
import { TooManyCalls } from './service-calls.errors.js';

/** Maximum number of concurrent calls per account, which is the number of connections that a browser opens. */
const OF_AN_ACCOUNT = 6;

/**
 * Limits how many pages and calls of one account are being answered at once, so that they do not delay the calls of
 * other accounts. Some calls wait for a payment processor, which limits the rate of calls. Other calls wait for the
 * account's lock, and each of them occupies one of the account service's few database connections.
 */
export class CallsUnderWay {
  private readonly ofAccounts = new Map<string, number>();

  /** Counts a call until its answer has been sent or its caller has disconnected. @throws TooManyCalls. */
  enter(accountId: string, answer: ServerResponse): void {
    const count = this.ofAccounts.get(accountId) ?? 0;
    if (count >= OF_AN_ACCOUNT) throw new TooManyCalls();
    // If the client has already disconnected, there will be no further event.
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
