import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { newId } from '#libs/platform';

/** The result of one run of a job that makes up for lost callbacks. */
export interface MissedNewsRun {
  job: string;
  startedAt: Date;
  endedAt: Date;
  checked: number;
  healed: number;
  failed: number;
}

@Injectable()
export class MissedNewsRepository {
  async insertRun(transaction: Transaction, run: MissedNewsRun): Promise<void> {
    const { job, startedAt, endedAt, checked, healed, failed } = run;
    await transaction.query(
      `insert into healing_runs (id, job, started_at, ended_at, checked, healed, failed)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [newId(), job, startedAt, endedAt, checked, healed, failed],
    );
  }
}
