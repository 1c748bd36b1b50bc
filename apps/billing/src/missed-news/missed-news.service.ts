import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';
import { Clock } from '#libs/platform';
import { MissedNewsRepository } from './missed-news.repository.js';

/** The findings of a check for missed news so far. */
export interface MissedNewsCount {
  readonly startedAt: Date;
  checked: number;
  healed: number;
  failed: number;
}

/** Keeps what each look for missed news found. */
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
    await this.maintenance.transaction((transaction) =>
      this.runs.insertRun(transaction, { job, endedAt: this.clock.now(), ...count }),
    );
  }
}
