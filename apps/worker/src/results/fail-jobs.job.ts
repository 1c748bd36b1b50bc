import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { MailOutbox } from '#libs/mail';
import { Clock, HOUR_MS, type Job as Repeated, forEachInOrder } from '#libs/platform';
import { JobQueues, jobWork } from '../jobs/job-queues.js';
import { type Job, RESULTS_KEPT_MS, isUnderWay } from '../jobs/job.js';
import { EndFeatures } from './end-jobs.job.js';

/**
 * The age from which jobs are checked. A younger job without work may be one whose start was interrupted; such a start
 * is undone before the job reaches this age.
 */
const AGE_MIN_MS = HOUR_MS;

/**
 * Ends jobs whose work an operator has discarded; otherwise, they would remain in progress forever, and their credits
 * would stay reserved. If a job has answers, these become its results. Dead work is still there, and waits for the
 * operator.
 */
@Injectable()
export class FailJobsJob implements Repeated {
  readonly name = 'fail-jobs';

  constructor(
    private readonly database: Database,
    private readonly queues: JobQueues,
    private readonly features: EndFeatures,
    private readonly mails: MailOutbox,
    private readonly clock: Clock,
  ) {}

  /** @throws AggregateError if some jobs could not be ended, after all were tried. */
  async runOnce(): Promise<void> {
    const before = new Date(this.clock.now().getTime() - AGE_MIN_MS);
    const unfinished = await this.features.jobs.listUnfinished(this.database, before);
    await forEachInOrder(unfinished, async (id) => {
      if (!(await this.hasWork(id))) await this.end(id);
    });
  }

  /** The work of a job's next step is added in the transaction that removes the work of the previous step. */
  private async hasWork(jobId: string): Promise<boolean> {
    const { starts, chunks, ends } = this.queues;
    if (await starts.has(this.database, jobId)) return true;
    if ((await chunks.remaining(this.database, jobId)) > 0) return true;
    return ends.has(this.database, jobId);
  }

  private async end(jobId: string): Promise<void> {
    const { jobs, chunks } = this.features;
    const failing = await this.database.transaction(async (transaction) => {
      const job = await jobs.lock(transaction, jobId);
      if (!job || !isUnderWay(job)) return undefined;
      if (job.state !== 'running') return job;
      await chunks.abandonOpen(transaction, jobId);
      await jobs.setState(transaction, jobId, 'finalizing');
      await this.queues.ends.want(transaction, jobWork(job));
      return undefined;
    });
    if (failing) await this.fail(failing);
  }

  private async fail(job: Job): Promise<void> {
    const { chunks, records, credits, resultMails } = this.features;
    for (const { number, charged } of await chunks.listUnsettled(this.database, job.id)) {
      await records.settle(job, number, charged);
    }
    await credits.release(job);
    const mail = await resultMails.compose({ ...job, state: 'failed' });
    await this.database.transaction(async (transaction) => {
      if (!(await this.finish(transaction, job.id))) return;
      if (mail) await this.mails.add(transaction, job.accountId, mail);
    });
  }

  /** @returns false if the job has ended in the meantime. */
  private async finish(transaction: Transaction, jobId: string): Promise<boolean> {
    const { jobs, resultMails } = this.features;
    const job = await jobs.lock(transaction, jobId);
    if (!job || !isUnderWay(job)) return false;
    const finishedAt = this.clock.now();
    const expiresAt = new Date(finishedAt.getTime() + RESULTS_KEPT_MS);
    await jobs.finish(transaction, jobId, { state: 'failed', finishedAt, expiresAt });
    await resultMails.publish(transaction, { ...job, state: 'failed', finishedAt, expiresAt });
    const prefix = `jobs/${jobId}/`;
    await this.queues.folders.want(transaction, { name: prefix, payload: { prefix } });
    return true;
  }
}
