import { Injectable } from '@nestjs/common';
import { SECOND_MS, crashPoint, monotonicMs } from '#libs/platform';
import { LeaseBookingsService } from './lease-bookings.service.js';
import { LeasesRepository } from './leases.repository.js';

/** How long a lease stays open after it expires. */
const GRACE_MS = 60_000;
const READ_AT_ONCE = 1_000;
const DELETED_AT_ONCE = 10_000;
/** After this time, a run begins no further batch, so that holds are closed too. */
const ROUND_MAX_MS = 30 * SECOND_MS;

/** Closes and books leases that their holders do not close, and deletes old rejections. */
@Injectable()
export class LeaseReaperService {
  constructor(
    private readonly bookings: LeaseBookingsService,
    private readonly repository: LeasesRepository,
  ) {}

  /**
   * Closes leases that ended more than a minute ago, many at a time, with the usage that was last reported, and books
   * late totals that were set aside.
   */
  async reap(): Promise<void> {
    const until = monotonicMs() + ROUND_MAX_MS;
    for (;;) {
      const uses = await this.repository.listAbandoned(GRACE_MS, READ_AT_ONCE);
      if (uses.length > 0) crashPoint('reaper.before-close');
      await this.bookings.book('close', uses);
      if (uses.length > 0) crashPoint('reaper.after-close');
      if (uses.length < READ_AT_ONCE || monotonicMs() > until) return;
    }
  }

  /**
   * Books the reported usage of open leases that were last booked more than a minute ago, at most
   * `READ_AT_ONCE` of them.
   */
  async post(): Promise<void> {
    await this.bookings.book('settle', await this.repository.listUnposted(READ_AT_ONCE));
  }

  /** Deletes rejections that no repeated request can need any more. */
  async forgetRefusals(): Promise<void> {
    while ((await this.repository.deleteRefused(DELETED_AT_ONCE)) === DELETED_AT_ONCE);
  }

  /** Tells the auditor the time from which leases may stay open past their end. */
  async noteWait(): Promise<void> {
    await this.repository.putReaperWait();
  }
}
