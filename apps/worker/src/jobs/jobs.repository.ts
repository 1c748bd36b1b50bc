import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';
import { JOB_COLUMNS } from './job-columns.js';
import type { Job, NewJob } from './job.js';

type Runner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

/** SQL that is evaluated only for running jobs, because it reads all chunks of a job. */
const ARRIVED = `case when state in ('running', 'finalizing') then (select coalesce(sum(c.arrived), 0)::int
  from job_chunks c where c.job_id = jobs.id and c.state = 'open') else 0 end as arrived`;

/** Jobs, by account. */
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

  /** Finds the job that an earlier attempt of the same request started. */
  async findRepeated(
    transaction: Transaction,
    accountId: string,
    requestHash: Buffer,
  ): Promise<Job | undefined> {
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

  /** Newest first. */
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

  /**
   * Makes other new jobs of the account wait until the transaction ends, so that no job is added after the counts were
   * read.
   */
  async lockNew(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(`select pg_advisory_xact_lock(hashtextextended('jobs ' || $1, 0))`, [
      accountId,
    ]);
  }

  async listUnderWay(transaction: Transaction, accountId: string): Promise<Job[]> {
    return transaction.query<Job>(
      `select ${JOB_COLUMNS} from jobs where account_id = $1
         and state in ('validating', 'queued', 'running', 'finalizing') order by id for update`,
      [accountId],
    );
  }

  /** Counts the jobs created since a time that have charged nothing, including those in progress. */
  async countUncharged(transaction: Transaction, accountId: string, since: Date): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `select count(*)::int as count from jobs where account_id = $1 and charged = 0 and created_at > $2`,
      [accountId, since],
    );
    return count;
  }

  /**
   * Counts the lines without a price in jobs created since a time. For each name that a job has charged or may still
   * charge, `ofName` of the job's lines are not counted.
   */
  async countFreeLines(
    transaction: Transaction,
    accountId: string,
    since: Date,
    ofName: number,
  ): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `select coalesce(sum(greatest(lines - unique_names + unsupported
         - $3 * case when state in ('validating', 'queued', 'running', 'finalizing') then unique_names - unsupported
             else charged end, 0)), 0)::float8 as count
       from jobs where account_id = $1 and created_at > $2 and lines - unique_names + unsupported > charged`,
      [accountId, since, ofName],
    );
    return count;
  }

  /**
   * Counts the failed names of jobs created since a time. Of each job, only failed names beyond the number of its
   * charged names count.
   */
  async countFailed(transaction: Transaction, accountId: string, since: Date): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `select coalesce(sum(failed - charged), 0)::float8 as count from jobs
       where account_id = $1 and created_at > $2 and failed > charged`,
      [accountId, since],
    );
    return count;
  }

  /** @returns the ids of the account's jobs. */
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
