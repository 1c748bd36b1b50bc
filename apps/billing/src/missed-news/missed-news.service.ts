import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';
import { Clock, DAY_MS } from '#libs/platform';
import { MissedNewsRepository } from './missed-news.repository.js';

export interface MissedNewsCount {
  readonly startedAt: Date;
  checked: number;
  healed: number;
  failed: number;
}

/** How long the results of runs are kept. */
const KEPT_MS = 90 * DAY_MS;
/** How many old results are deleted after each run: more than one, because an earlier release kept all of them. */
const DELETED_AT_ONCE = 100;

@Injectable()
export class MissedNewsService {
  constructor(
    private readonly maintenance: MaintenanceDatabase,
    private readonly runs: MissedNewsRepository,
    private readonly clock: Clock,
  ) {}

  async record(job: string, work: (count: MissedNewsCount) => Promise<void>): Promise<void> {
    const count: MissedNewsCount = {
      startedAt: this.clock.now(),
      checked: 0,
      healed: 0,
      failed: 0,
    };
    await work(count);
    const before = new Date(count.startedAt.getTime() - KEPT_MS);
    await this.maintenance.transaction(async (transaction) => {
      await this.runs.insertRun(transaction, { job, endedAt: this.clock.now(), ...count });
      await this.runs.deleteBefore(transaction, { job, before }, DELETED_AT_ONCE);
    });
  }
}
