import { setTimeout as sleep } from 'node:timers/promises';
import type { EntitlementClient, HoldAnswer } from '#libs/contracts';
import { type Logger, MINUTE_MS, Problem, ServiceUnavailable, monotonicMs } from '#libs/platform';
import { CreditsBusy, InsufficientCredits } from '../lease/lease.errors.js';
import { RequestHold } from './request-hold.js';

export interface RequestHoldsOptions {
  client: Pick<EntitlementClient, 'hold' | 'settleHold' | 'closeHold'>;
  logger: Logger;
  /** Longest a request may take after it has its credits, in milliseconds. */
  requestDeadlineMs: number;
}

const ELSEWHERE_WAIT_MS = 300;
const ELSEWHERE_RETRY_MS = 50;
const RETRY_MS = 250;

/** The gateway's side of holds: one for each request that may be charged for several things. */
export class RequestHolds {
  private readonly open = new Set<RequestHold>();
  private readonly stopping = new AbortController();

  constructor(private readonly options: RequestHoldsOptions) {}

  /**
   * Holds the whole amount or nothing.
   * @returns the hold (call `finish` in any case), or the refusal: 402, 503.
   */
  async reserve(
    accountId: string,
    { id, amount, operation }: { id: string; amount: number; operation: string },
  ): Promise<RequestHold | Problem> {
    const hold = new RequestHold(id, accountId, amount, this);
    const ttlMs = this.options.requestDeadlineMs + MINUTE_MS;
    const request = { accountId, holdId: id, amount, ttlMs, operation };
    const giveUpAtMs = monotonicMs() + ELSEWHERE_WAIT_MS;
    try {
      let answer = await this.options.client.hold(request);
      while (answer.outcome === 'elsewhere' && monotonicMs() < giveUpAtMs) {
        await sleep(ELSEWHERE_RETRY_MS);
        answer = await this.options.client.hold(request);
      }
      if (answer.outcome !== 'held') return refusalOf(answer, amount);
      hold.spendable = answer.spendable;
      this.open.add(hold);
      return hold;
    } catch (error) {
      // It may be held all the same: closing the id settles the question.
      this.open.add(hold);
      hold.finish(0);
      return new ServiceUnavailable('entitlement', error);
    }
  }

  async settle(hold: RequestHold, part: string, credits: number): Promise<void> {
    const { client } = this.options;
    await this.untilDone(() => client.settleHold(hold.accountId, hold.id, part, credits));
  }

  async close(hold: RequestHold): Promise<void> {
    await this.untilDone(() => this.options.client.closeHold(hold.accountId, hold.id));
    this.open.delete(hold);
  }

  /** Waits until entitlement has acknowledged what is open, at most `timeoutMs`. */
  async drain(timeoutMs: number): Promise<void> {
    const until = monotonicMs() + timeoutMs;
    while (this.open.size > 0 && monotonicMs() < until) await sleep(10);
    this.stopping.abort();
  }

  /** Repeats until the process stops: a part is charged once, however often it is told. */
  private async untilDone(call: () => Promise<void>): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        return await call();
      } catch (error) {
        this.options.logger.warn('entitlement does not take the report of a hold', error);
        await sleep(RETRY_MS, undefined, { ref: false, signal }).catch(() => {});
      }
    }
  }
}

function refusalOf({ outcome }: HoldAnswer, amount: number): Problem {
  if (outcome === 'insufficient') return new InsufficientCredits(amount);
  return outcome === 'elsewhere' ? new CreditsBusy() : new ServiceUnavailable('entitlement');
}
