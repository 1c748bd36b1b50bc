import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import { JOB_COLUMNS } from './job-columns.js';
import type { Job, NewJob } from './job.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

/** SQL: the states of jobs in progress. */
const UNDER_WAY = `'validating', 'queued', 'running', 'finalizing'`;
/** SQL for the progress of a job. It reads all chunks of the job, so it is evaluated only while the job has chunks. */
const ARRIVED = `case when state in ('running', 'finalizing') then (select coalesce(sum(c.arrived), 0)::int
  from job_chunks c where c.job_id = jobs.id and c.state = 'open') else 0 end as arrived`;

@Injectable()
export class JobsRepository {
  async insert(transaction: Transaction, job: NewJob, requestHash?: Buffer): Promise<void> {
    await transaction.query(
      `insert into jobs (id, account_id, kind, state, format, types, max_age_seconds, list_id, lines, unique_names,
         invalid, invalid_lines, created_at, deadline_at, estimate_seconds, request_hash, unsupported)
       values ($1, $2, $3, 'validating', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
      [
        job.id,
        job.accountId,
        job.kind,
        job.format,
        job.types,
        job.maxAgeSeconds,
        job.listId,
        job.lines,
        job.uniqueNames,
        job.invalid,
        JSON.stringify(job.invalidLines),
        job.createdAt,
        job.deadlineAt,
        job.estimateSeconds,
        requestHash ?? null,
        job.unsupported,
      ],
    );
  }

  /**
   * Finds the job that an earlier attempt at the same request has started since `since`; returns undefined if there is
   * none. An older job no longer has the request's `Idempotency-Key`.
   */
  async findRepeated(
    transaction: Transaction,
    accountId: string,
    { requestHash, since }: { requestHash: Buffer; since: Date },
  ): Promise<Job | undefined> {
    await transaction.query(
      `update jobs set request_hash = null where account_id = $1 and request_hash = $2 and created_at <= $3`,
      [accountId, requestHash, since],
    );
    const [job] = await transaction.query<Job>(
      `select ${JOB_COLUMNS} from jobs where account_id = $1 and request_hash = $2`,
      [accountId, requestHash],
    );
    return job;
  }

  async findOf(runner: Runner, accountId: string, jobId: string): Promise<Job | undefined> {
    const [job] = await runner.query<Job>(
      `select ${JOB_COLUMNS}, ${ARRIVED} from jobs where account_id = $1 and id = $2`,
      [accountId, jobId],
    );
    return job;
  }

  async list(
    runner: Runner,
    accountId: string,
    { limit, after }: { limit: number; after?: string },
  ): Promise<Job[]> {
    return runner.query<Job>(
      `select ${JOB_COLUMNS}, ${ARRIVED} from jobs where account_id = $1 and ($3::uuid is null or id < $3)
       order by id desc limit $2`,
      [accountId, limit, after ?? null],
    );
  }

  /** Makes the account's other new jobs wait until the transaction ends, so that the counts read in it stay correct. */
  async lockNew(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(`select pg_advisory_xact_lock(hashtextextended('jobs ' || $1, 0))`, [
      accountId,
    ]);
  }

  /** Counts the account's jobs in progress without waiting for a long one that is being split into chunks. */
  async countUnderWay(transaction: Transaction, accountId: string): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `select count(*)::int as count from jobs where account_id = $1 and state in (${UNDER_WAY})`,
      [accountId],
    );
    return count;
  }

  async listUnderWay(transaction: Transaction, accountId: string): Promise<Job[]> {
    return transaction.query<Job>(
      `select ${JOB_COLUMNS} from jobs where account_id = $1
         and state in (${UNDER_WAY}) order by id for no key update`,
      [accountId],
    );
  }

  /** Counts the account's jobs since `since` that have charged nothing, including jobs in progress. */
  async countUncharged(transaction: Transaction, accountId: string, since: Date): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `select count(*)::int as count from jobs where account_id = $1 and charged = 0 and created_at > $2`,
      [accountId, since],
    );
    return count;
  }

  /**
   * Counts the free lines in the account's jobs since `since`. Each name that a job has charged, or may still charge,
   * exempts `ofName` of the job's lines.
   */
  async countFreeLines(
    transaction: Transaction,
    accountId: string,
    since: Date,
    ofName: number,
  ): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `select coalesce(sum(greatest(lines - unique_names + unsupported
         - $3 * case when state in (${UNDER_WAY}) then unique_names - unsupported
             else charged end, 0)), 0)::float8 as count
       from jobs where account_id = $1 and created_at > $2 and lines - unique_names + unsupported > charged`,
      [accountId, since, ofName],
    );
    return count;
  }

  /**
   * Counts the failed names in the account's jobs since `since`. In each job, each charged name exempts one failed
   * name.
   */
  async countFailed(transaction: Transaction, accountId: string, since: Date): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `select coalesce(sum(failed - charged), 0)::float8 as count from jobs
       where account_id = $1 and created_at > $2 and failed > charged`,
      [accountId, since],
    );
    return count;
  }

  /**
   * Deletes the account's jobs and their names.
   * @returns the ids of the jobs.
   */
  async deleteOfAccount(transaction: Transaction, accountId: string): Promise<string[]> {
    await transaction.query(
      `delete from name_lines where list_id in (select list_id from jobs where account_id = $1 and list_id = id)`,
      [accountId],
    );
    const rows = await transaction.query<{ id: string }>(
      'delete from jobs where account_id = $1 returning id',
      [accountId],
    );
    return rows.map(({ id }) => id);
  }

  /** @returns false if the job's start was undone in the meantime. */
  async setQueued(transaction: Transaction, accountId: string, jobId: string): Promise<boolean> {
    const rows = await transaction.query(
      `update jobs set state = 'queued'
       where account_id = $1 and id = $2 and state = 'validating' returning id`,
      [accountId, jobId],
    );
    return rows.length === 1;
  }
}
