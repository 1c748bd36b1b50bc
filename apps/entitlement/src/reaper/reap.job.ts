import { Injectable } from '@nestjs/common';
import { DatabaseUnavailable, forEachInOrder, monotonicMs } from '#libs/platform';
import { LeaseReaperService } from '../leases/lease-reaper.service.js';
import { ReaperRounds } from './reaper-rounds.js';
import { HoldsService } from '../holds/holds.service.js';

/**
 * Closes leases and holds that have ended without being closed: settles the reported usage and releases the other
 * credits. Usage that is reported afterwards is a late debit. Also books the usage of open leases and deletes old
 * rejections.
 */
@Injectable()
export class ReapJob {
  readonly name = 'reap';
  private readonly rounds = new ReaperRounds();

  constructor(
    private readonly leases: LeaseReaperService,
    private readonly holds: HoldsService,
  ) {}

  async runOnce(nowMs = monotonicMs()): Promise<void> {
    const startedMs = monotonicMs();
    const round = this.rounds.next(nowMs);
    try {
      await forEachInOrder(
        [() => this.begin(round), () => this.leases.post(), ...this.reaping(round)],
        (work) => work(),
      );
    } finally {
      this.rounds.end(nowMs + monotonicMs() - startedMs);
    }
  }

  private async begin(round: string): Promise<void> {
    try {
      if (round === 'begins to wait') await this.leases.noteWait();
      await this.leases.forgetRefusals();
    } catch (error) {
      // Without the database, no holder can reach the service either.
      if (error instanceof DatabaseUnavailable) this.rounds.interrupt();
      throw error;
    }
  }

  private reaping(round: string): (() => Promise<void>)[] {
    if (round !== 'may reap') return [];
    return [() => this.leases.reap(), () => this.holds.reap()];
  }
}
