import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type WorkOperation, shortfallOf } from '#libs/contracts';
import { MINUTE_MS, SECOND_MS, monotonicMs } from '#libs/platform';
import { ServiceClients } from '../service-clients.js';
import { JobCreditsBusy, JobShortOfCredits } from './jobs.errors.js';
import { type Job, priceOf } from './job.js';

type JobPrice = Pick<Job, 'id' | 'accountId' | 'kind' | 'uniqueNames' | 'unsupported'>;

/** Maximum time to wait for credits that are held elsewhere. */
const ELSEWHERE_MS = MINUTE_MS;
const PAUSE_MS = SECOND_MS;

/** Reserves the full price of a job in advance, charges each chunk to the reservation, and releases unused credits. */
@Injectable()
export class JobCreditsService {
  constructor(private readonly clients: ServiceClients) {}

  /**
   * Reserves the price of a job. Waits for up to a minute for credits that gateways hold, or that are still frozen
   * because entitlement learns of the account's restoration from an event.
   * @throws JobShortOfCredits, JobCreditsBusy, ServiceUnavailable.
   */
  async hold(job: JobPrice): Promise<void> {
    const { id: holdId, accountId, kind } = job;
    const amount = priceOf(job);
    if (amount === 0) return;
    const untilMs = monotonicMs() + ELSEWHERE_MS;
    const operation: WorkOperation = `jobs.${kind}`;
    for (;;) {
      const answer = await this.clients.entitlement.hold({ holdId, accountId, amount, operation });
      if (answer.outcome === 'held') return;
      if (answer.outcome === 'insufficient') {
        // The restoration may have released the credits after the attempt to hold them.
        const { frozen, ...balance } = await this.clients.entitlement.balance(accountId);
        const shortfall = shortfallOf(balance, amount);
        if (shortfall > frozen) throw new JobShortOfCredits(amount, shortfall);
      }
      if (answer.outcome === 'closed' || monotonicMs() > untilMs) throw new JobCreditsBusy();
      await sleep(PAUSE_MS);
    }
  }

  async shortfall(accountId: string, price: number): Promise<number> {
    return shortfallOf(await this.clients.entitlement.balance(accountId), price);
  }

  /** Charges the account for a chunk. A repeated call has no effect, even with another count. */
  async settle(job: Pick<Job, 'id' | 'accountId'>, number: number, count: number): Promise<void> {
    if (count === 0) return;
    await this.clients.entitlement.settleHold(job.accountId, job.id, String(number), count);
  }

  async release({ accountId, id }: Pick<Job, 'id' | 'accountId'>): Promise<void> {
    await this.clients.entitlement.closeHold(accountId, id);
  }
}
