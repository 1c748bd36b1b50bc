import { Injectable } from '@nestjs/common';
import type { AskedPage, JobAnswer, JobsAnswer } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Clock, NotFound, isId } from '#libs/platform';
import { JobQueues, jobWork } from './job-queues.js';
import { JobRowsService } from './job-rows.service.js';
import { type Job, jobAnswer } from './job.js';
import { JobOver } from './jobs.errors.js';
import { JobsRepository } from './jobs.repository.js';

@Injectable()
export class JobsService {
  constructor(
    private readonly database: Database,
    private readonly jobs: JobsRepository,
    private readonly rows: JobRowsService,
    private readonly queues: JobQueues,
    private readonly clock: Clock,
  ) {}

  /** @throws NotFound. */
  async get(accountId: string, jobId: string): Promise<JobAnswer> {
    return jobAnswer(await this.find(accountId, jobId), this.clock.now());
  }

  /** @throws NotFound. */
  async find(accountId: string, jobId: string): Promise<Job> {
    const job = isId(jobId) && (await this.jobs.findOf(this.database, accountId, jobId));
    if (!job) throw new NotFound('There is no job with this id.');
    return job;
  }

  async list(accountId: string, asked: AskedPage): Promise<JobsAnswer> {
    const [after] = asked.after ?? [];
    const rows = await this.jobs.list(this.database, accountId, { limit: asked.limit, after });
    const { items, paging } = asked.cut(rows, ({ id }) => [id]);
    return { status: true, jobs: items.map((job) => jobAnswer(job, this.clock.now())), paging };
  }

  /**
   * Cancels a job. Names that are answered are kept and charged. If the price is still being reserved, the job is only
   * marked, and ends before it is split into chunks. @throws NotFound, JobOver.
   */
  async cancel(accountId: string, jobId: string): Promise<JobAnswer> {
    await this.find(accountId, jobId);
    await this.database.transaction(async (transaction) => {
      const job = await this.rows.lock(transaction, jobId);
      if (job?.state === 'validating') return this.rows.markCanceled(transaction, jobId);
      if (!job || !['queued', 'running'].includes(job.state)) throw new JobOver();
      await this.stop(transaction, job);
    });
    return this.get(accountId, jobId);
  }

  /** Ends all jobs of an account that are in progress, except those whose price is still being reserved. */
  async stopAll(transaction: Transaction, accountId: string): Promise<void> {
    for (const job of await this.jobs.listUnderWay(transaction, accountId)) {
      if (!job.isCanceled && job.state !== 'validating') await this.stop(transaction, job);
    }
  }

  /**
   * Removes an account's jobs, and queues the removal of their files. Reserved credits are not
   * released, because they no longer belong to the account.
   */
  async erase(transaction: Transaction, accountId: string): Promise<void> {
    const { chunks, starts, ends, folders } = this.queues;
    for (const queue of [chunks, starts, ends]) await queue.forget(transaction, accountId);
    for (const id of await this.jobs.deleteOfAccount(transaction, accountId)) {
      await folders.want(transaction, { name: `jobs/${id}/`, payload: { prefix: `jobs/${id}/` } });
    }
  }

  /** Cancels a queued or running job, whose row must be locked. */
  async stop(transaction: Transaction, job: Job): Promise<void> {
    const { chunks, ends } = this.queues;
    await this.rows.setCanceled(transaction, job.id);
    await chunks.cancel(transaction, job.id);
    await ends.want(transaction, jobWork(job));
  }
}
