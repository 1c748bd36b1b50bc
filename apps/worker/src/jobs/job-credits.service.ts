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
/**
 * The maximum number of starts that wait for credits: of one account, and of all accounts. Each occupies a connection
 * of a gateway or dashboard, which all other calls need, too (S102). An account can keep its credits elsewhere at no
 * cost, with slow lookups that fail.
 */
const WAITING_MAX = { ofAccount: 2, ofAll: 16 };

/** Reserves the full price of a job in advance, charges each chunk to the reservation, and releases unused credits. */
@Injectable()
export class JobCreditsService {
  /** The time between two attempts to reserve credits; a spec uses a shorter one. */
  pauseMs = SECOND_MS;
  /** The accounts of the starts that wait. */
  private readonly waiting: string[] = [];

  constructor(private readonly clients: ServiceClients) {}

  /**
   * Reserves the price of a job. Waits for up to a minute for credits that gateways hold, or that are still frozen
   * because entitlement learns of the account's restoration from an event, unless too many starts are already waiting.
   * @throws JobShortOfCredits, JobCreditsBusy, ServiceUnavailable.
   */
  async hold(job: JobPrice): Promise<void> {
    const { accountId } = job;
    if (priceOf(job) === 0 || (await this.isHeld(job))) return;
    const ofAccount = this.waiting.filter((one) => one === accountId).length;
    const isFull = this.waiting.length >= WAITING_MAX.ofAll || ofAccount >= WAITING_MAX.ofAccount;
    if (isFull) throw new JobCreditsBusy();
    this.waiting.push(accountId);
    try {
      const untilMs = monotonicMs() + ELSEWHERE_MS;
      do {
        if (monotonicMs() > untilMs) throw new JobCreditsBusy();
        await sleep(this.pauseMs);
      } while (!(await this.isHeld(job)));
    } finally {
      this.waiting.splice(this.waiting.indexOf(accountId), 1);
    }
  }

  /** Tries to reserve the price of a job. @returns false if the missing credits may become available. */
  private async isHeld(job: JobPrice): Promise<boolean> {
    const { id: holdId, accountId, kind } = job;
    const amount = priceOf(job);
    const operation: WorkOperation = `jobs.${kind}`;
    const answer = await this.clients.entitlement.hold({ holdId, accountId, amount, operation });
    if (answer.outcome === 'closed') throw new JobCreditsBusy();
    if (answer.outcome === 'insufficient') {
      // The restoration may have released the credits after the attempt to hold them.
      const { frozen, ...balance } = await this.clients.entitlement.balance(accountId);
      const shortfall = shortfallOf(balance, amount);
      if (shortfall > frozen) throw new JobShortOfCredits(amount, shortfall);
    }
    return answer.outcome === 'held';
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
