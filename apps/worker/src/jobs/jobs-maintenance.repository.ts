import { Injectable } from '@nestjs/common';
import type { JobArtifact, JobState } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import { JOB_COLUMNS } from './job-columns.js';
import type { Job, Part } from './job.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

@Injectable()
export class JobsMaintenanceRepository {
  async find(runner: Runner, jobId: string): Promise<Job | undefined> {
    const [job] = await runner.query<Job>(`select ${JOB_COLUMNS} from jobs where id = $1`, [jobId]);
    return job;
  }

  /**
   * Locks a job's row until the transaction ends, so that its state cannot change in the meantime;
   * returns undefined if the job no longer exists.
   */
  async lock(transaction: Transaction, jobId: string): Promise<Job | undefined> {
    const [job] = await transaction.query<Job>(
      `select ${JOB_COLUMNS} from jobs where id = $1 for no key update`,
      [jobId],
    );
    return job;
  }

  async setState(transaction: Transaction, jobId: string, state: JobState): Promise<void> {
    await transaction.query('update jobs set state = $2 where id = $1', [jobId, state]);
  }

  async setCanceled(transaction: Transaction, jobId: string): Promise<void> {
    await transaction.query(
      `update jobs set is_canceled = true, state = 'finalizing' where id = $1`,
      [jobId],
    );
  }

  /** Marks a job as cancelled while it is being started. `StartJobsJob` then ends it. */
  async markCanceled(transaction: Transaction, jobId: string): Promise<void> {
    await transaction.query('update jobs set is_canceled = true where id = $1', [jobId]);
  }

  async setRunning(
    transaction: Transaction,
    jobId: string,
    { chunks, leftOut }: { chunks: number; leftOut?: Part },
  ): Promise<void> {
    await transaction.query(
      `update jobs set state = 'running', chunks = $2, open_chunks = $2, left_out_part = $3, left_out_rows = $4
       where id = $1`,
      [jobId, chunks, leftOut?.part ?? null, leftOut?.rows ?? 0],
    );
  }

  /**
   * Adds an answered chunk, and the chunks that follow it, to the job's counts.
   * @returns the number of open chunks, and the number of the first following chunk.
   */
  async addDone(
    transaction: Transaction,
    jobId: string,
    done: { delivered: number; failed: number; charged: number; followers: number },
  ): Promise<{ open: number; firstNumber: number }> {
    const [row] = await transaction.query<{ open: number; firstNumber: number }>(
      // As at entitlement, no more than the price is charged, even if a later release has sources for further names.
      `update jobs set delivered = delivered + $2, failed = failed + $3,
         charged = least(charged + $4, unique_names - unsupported),
         chunks = chunks + $5, open_chunks = open_chunks - 1 + $5
       where id = $1 returning open_chunks as open, chunks - $5 + 1 as "firstNumber"`,
      [jobId, done.delivered, done.failed, done.charged, done.followers],
    );
    return row;
  }

  async finish(
    transaction: Transaction,
    jobId: string,
    end: { state: JobState; artifact?: JobArtifact; finishedAt: Date; expiresAt: Date },
  ): Promise<void> {
    // A job that was cancelled before it was split still has lines.
    await transaction.query('delete from name_lines where list_id = $1', [jobId]);
    await transaction.query(
      'update jobs set state = $2, artifact = $3, finished_at = $4, expires_at = $5 where id = $1',
      [
        jobId,
        end.state,
        end.artifact ? JSON.stringify(end.artifact) : null,
        end.finishedAt,
        end.expiresAt,
      ],
    );
  }

  /** Lists jobs in progress that were created before a time. */
  async listUnfinished(runner: Runner, before: Date): Promise<string[]> {
    const rows = await runner.query<{ id: string }>(
      'select id from jobs where finished_at is null and created_at < $1 order by id',
      [before],
    );
    return rows.map(({ id }) => id);
  }

  async listExpired(runner: Runner, now: Date, limit: number): Promise<string[]> {
    const rows = await runner.query<{ id: string }>(
      `select id from jobs where state <> 'expired' and expires_at <= $1 order by expires_at limit $2`,
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** Marks a job as expired, and deletes the rows of its chunks, which may be tens of thousands. */
  async expire(transaction: Transaction, jobId: string): Promise<void> {
    await transaction.query('delete from job_chunks where job_id = $1', [jobId]);
    await transaction.query(
      `update jobs set state = 'expired', artifact = null, invalid_lines = '[]' where id = $1`,
      [jobId],
    );
  }

  async delete(transaction: Transaction, jobId: string): Promise<void> {
    await transaction.query('delete from jobs where id = $1', [jobId]);
  }
}
