import { Injectable } from '@nestjs/common';
import type { Job } from '#libs/platform';
import { CheckpointsRepository } from './checkpoints.repository.js';

/** Accounts per transaction: few enough that a busy month of each can be summed up within a second. */
const ACCOUNTS_AT_ONCE = 100;

/**
 * Sums up the ledger of every account with new entries, so that readers need not add up years of entries, and old
 * months can be dropped.
 */
@Injectable()
export class CheckpointJob implements Job {
  readonly name = 'checkpoint';

  constructor(private readonly checkpoints: CheckpointsRepository) {}

  async runOnce(): Promise<void> {
    let last: string | undefined;
    do last = await this.checkpoints.advance(last, ACCOUNTS_AT_ONCE);
    while (last !== undefined);
  }
}
