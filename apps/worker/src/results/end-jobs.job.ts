import { Injectable } from '@nestjs/common';
import type { JobState } from '#libs/contracts';
import { Database } from '#libs/database';
import { MailOutbox } from '#libs/mail';
import { Clock, Logger, MINUTE_MS, crashPoint } from '#libs/platform';
import { type Later, type Work, WorkRunner, later } from '#libs/work';
import { ChunkRecordsService } from '../chunks/chunk-records.service.js';
import { ChunkRowsService } from '../chunks/chunk-rows.service.js';
import { JobCreditsService } from '../jobs/job-credits.service.js';
import { JobQueues, type JobWork } from '../jobs/job-queues.js';
import { type Job, RESULTS_KEPT_MS, partsFolder } from '../jobs/job.js';
import { JobRowsService } from '../jobs/job-rows.service.js';
import { ResultMailsService } from './result-mails.service.js';
import { ResultFilesService } from './result-files.service.js';

const TIME_LIMIT_MS = 10 * MINUTE_MS;
/** The pause before the next check whether the running chunks of a cancelled job have ended. */
const CHUNKS_END_SECONDS = 2;

@Injectable()
export class EndFeatures {
  constructor(
    readonly jobs: JobRowsService,
    readonly chunks: ChunkRowsService,
    readonly records: ChunkRecordsService,
    readonly files: ResultFilesService,
    readonly credits: JobCreditsService,
    readonly resultMails: ResultMailsService,
  ) {}
}

/**
 * Ends jobs: charges what has not been charged, releases unused credits, joins the answers into one file, and notifies
 * the account by e-mail and webhooks.
 */
@Injectable()
export class EndJobsJob extends WorkRunner<JobWork> {
  constructor(
    private readonly database: Database,
    private readonly queues: JobQueues,
    private readonly features: EndFeatures,
    private readonly mails: MailOutbox,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    super({ queue: queues.ends, database, logger, concurrency: 2, timeLimitMs: TIME_LIMIT_MS });
  }

  protected async handle(work: Work<JobWork>): Promise<Later | void> {
    const { jobs, chunks, records, files, credits, resultMails } = this.features;
    const { jobId } = work.payload;
    const found = await jobs.find(this.database, jobId);
    if (found?.state !== 'finalizing') return;
    const chunksLeft = await this.queues.chunks.remaining(this.database, jobId);
    if (found.isCanceled && chunksLeft > 0) return later(CHUNKS_END_SECONDS);
    // From now on, no process can record a chunk, so the file and the e-mail contain everything that is charged.
    const job = await this.database.transaction(async (transaction) => {
      await chunks.abandonOpen(transaction, jobId);
      return jobs.find(transaction, jobId);
    });
    if (!job) return;
    for (const { number, charged } of await chunks.listUnsettled(this.database, job.id)) {
      await records.settle(job, number, charged);
    }
    // The credits do not wait for the file store, which may be down for days.
    await credits.release(job);
    crashPoint('job.after-release');
    const parts = await chunks.listParts(this.database, job.id);
    const artifact = await files.join(job, parts, work.signal);
    crashPoint('job.after-join');
    const mail = await resultMails.compose({ ...job, artifact: artifact ?? null });
    const finishedAt = this.clock.now();
    const expiresAt = new Date(finishedAt.getTime() + RESULTS_KEPT_MS);
    await this.database.transaction(async (transaction) => {
      const end = { state: endOf(job), artifact, finishedAt, expiresAt };
      await jobs.finish(transaction, job.id, end);
      const ended = await jobs.find(transaction, job.id);
      if (ended) await resultMails.publish(transaction, ended);
      if (mail) await this.mails.add(transaction, job.accountId, mail);
      const prefix = partsFolder(job.id);
      await this.queues.folders.want(transaction, { name: prefix, payload: { prefix } });
      await work.finish(transaction);
      crashPoint('job.before-commit');
    });
    crashPoint('job.after-commit');
  }
}

function endOf({ isCanceled, delivered, failed, uniqueNames }: Job): JobState {
  if (isCanceled) return 'canceled';
  // Names are missing if an operator has discarded a chunk.
  const isWhole = failed === 0 && delivered === uniqueNames;
  return isWhole ? 'completed' : 'completed_with_errors';
}
