import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, DAY_MS, SECOND_MS } from '#libs/platform';
import { type CountedSubject, DailyCountsRepository } from './daily-counts.repository.js';

/**
 * Counts what accounts begin in a day: they may remove it at once and begin again, so a limit on
 * what exists at a time does not bound the work.
 */
@Injectable()
export class DailyCountsService {
  constructor(
    private readonly counts: DailyCountsRepository,
    private readonly clock: Clock,
  ) {}

  /** Counts one or more; 0 only reads the count. @returns how many there were on this day (UTC), with them. */
  async count(
    transaction: Transaction,
    accountId: string,
    subject: CountedSubject,
    count = 1,
  ): Promise<number> {
    const day = this.clock.now().toISOString().slice(0, 10);
    return this.counts.raise(transaction, { accountId, subject, day, count });
  }

  /** Seconds until the counts begin again. */
  secondsLeft(): number {
    return Math.ceil((DAY_MS - (this.clock.now().getTime() % DAY_MS)) / SECOND_MS);
  }

  async forget(
    transaction: Transaction,
    accountId: string,
    subjects: readonly CountedSubject[],
  ): Promise<void> {
    await this.counts.delete(transaction, accountId, subjects);
  }
}
