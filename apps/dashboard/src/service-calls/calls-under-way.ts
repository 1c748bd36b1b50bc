import type { ServerResponse } from 'node:http';
import { TooManyCalls } from './service-calls.errors.js';

/** Maximum number of concurrent calls per account, which is the number of connections that a browser opens. */
const OF_AN_ACCOUNT = 6;
/**
 * Maximum number of calls per account that are processed at the same time; its other calls wait. Transfers are not
 * counted here.
 */
const IN_WORK = 2;

interface Calls {
  underWay: number;
  inWork: number;
  readonly waiting: (() => void)[];
}

/**
 * Limits how many pages and calls of one account are being answered at once, so that they do not delay the calls of
 * other accounts. A page takes some 20 ms of CPU time, and many accounts may reload pages. Some calls wait for a payment
 * processor, which limits the rate of calls. Other calls wait for the account's lock, and each of them occupies one of
 * the account service's few database connections.
 */
export class CallsUnderWay {
  private readonly ofAccounts = new Map<string, Calls>();

  /**
   * Counts a call until its answer has been sent or its caller has disconnected, and waits until the call may begin.
   * @param isTransfer whether the call may last as long as data is transferred; the account's other calls do not wait
   *   for it. @throws TooManyCalls.
   */
  async enter(accountId: string, answer: ServerResponse, isTransfer = false): Promise<void> {
    const calls = this.ofAccounts.get(accountId) ?? { underWay: 0, inWork: 0, waiting: [] };
    if (calls.underWay >= OF_AN_ACCOUNT) throw new TooManyCalls();
    // If the client has already disconnected, there will be no further event.
    if (answer.destroyed) return;
    this.ofAccounts.set(accountId, calls);
    calls.underWay += 1;
    answer.once('close', () => {
      calls.underWay -= 1;
      if (calls.underWay === 0) this.ofAccounts.delete(accountId);
      if (!isTransfer) endWork(calls);
    });
    if (isTransfer) return;
    if (calls.inWork < IN_WORK) calls.inWork += 1;
    else await new Promise<void>((resolve) => void calls.waiting.push(resolve));
  }
}

/**
 * Lets the next waiting call begin. If its caller has disconnected, the call still runs, but its answer is discarded.
 */
function endWork(calls: Calls): void {
  const next = calls.waiting.shift();
  if (next) next();
  else calls.inWork -= 1;
}
