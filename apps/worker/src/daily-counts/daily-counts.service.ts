import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, DAY_MS, SECOND_MS } from '#libs/platform';
import { type CountedSubject, DailyCountsRepository } from './daily-counts.repository.js';

/**
 * Counts the items that an account creates per day. A limit on existing items does not limit the work, because an
 * account may remove an item at once and create another.
 */
@Injectable()
export class DailyCountsService {
  constructor(
    private readonly counts: DailyCountsRepository,
    private readonly clock: Clock,
  ) {}

  /** Adds to today's count (UTC); with 0, only reads the count. @returns the new count. */
  async count(
    transaction: Transaction,
    accountId: string,
    subject: CountedSubject,
    count = 1,
  ): Promise<number> {
    const day = this.clock.now().toISOString().slice(0, 10);
    return this.counts.raise(transaction, { accountId, subject, day, count });
  }

  /** Returns the seconds until the counts start again at 0. */
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
