import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';
import { Clock } from '#libs/platform';
import { HealingRepository } from './healing.repository.js';

/** What a healing job has looked at so far. */
export interface HealingCount {
  readonly startedAt: Date;
  checked: number;
  healed: number;
  failed: number;
}

/** Keeps what each run of a healing job found. */
@Injectable()
export class HealingService {
  constructor(
    private readonly maintenance: MaintenanceDatabase,
    private readonly runs: HealingRepository,
    private readonly clock: Clock,
  ) {}

  async record(job: string, work: (count: HealingCount) => Promise<void>): Promise<void> {
    const count: HealingCount = { startedAt: this.clock.now(), checked: 0, healed: 0, failed: 0 };
    await work(count);
    await this.maintenance.transaction((transaction) =>
      this.runs.insertRun(transaction, { job, endedAt: this.clock.now(), ...count }),
    );
  }
}
