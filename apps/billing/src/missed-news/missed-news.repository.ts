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

  /** Deletes a job's runs that began before a time: at most `limit`, the oldest first. */
  async deleteBefore(
    transaction: Transaction,
    { job, before }: { job: string; before: Date },
    limit: number,
  ): Promise<void> {
    await transaction.query(
      `delete from healing_runs where id in (
         select id from healing_runs where job = $1 and started_at < $2 order by started_at limit $3)`,
      [job, before, limit],
    );
  }
}
