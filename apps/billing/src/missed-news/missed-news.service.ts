import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';
import { Clock } from '#libs/platform';
import { MissedNewsRepository } from './missed-news.repository.js';

export interface MissedNewsCount {
  readonly startedAt: Date;
  checked: number;
  healed: number;
  failed: number;
}

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
