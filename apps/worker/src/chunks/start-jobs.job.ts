import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import { Logger, MINUTE_MS } from '#libs/platform';
import { type Later, LongTurns, type Work, WorkRunner, later } from '#libs/work';
import { JobCreditsService } from '../jobs/job-credits.service.js';
import { AccountStatesService } from '../accounts/account-states.service.js';
import { CHUNK_NAMES_MAX, JobQueues, type JobWork } from '../jobs/job-queues.js';
import type { Job } from '../jobs/job.js';
import { JobRowsService } from '../jobs/job-rows.service.js';
import { JobsService } from '../jobs/jobs.service.js';
import { NameLinesService } from '../names/name-lines.service.js';
import { chunkWork } from './chunk-records.service.js';
import { ChunksRepository } from './chunks.repository.js';
import { LeftOutLinesService } from './left-out-lines.service.js';

/** The time limit of the statement that groups and sorts three million names. */
const CUT_LIMIT_MS = 4 * MINUTE_MS;
/**
 * The time limit for writing the lines that are not looked up, which happens first. The file store determines the
 * speed.
 */
const LEFT_OUT_LIMIT_MS = 20 * MINUTE_MS;
/** Maximum number of lines in a short job, which takes less than a second to start. A long job may take minutes. */
const SHORT_LINES_MAX = 10_000;
const TURN_SECONDS = 1;

@Injectable()
export class JobRows {
  constructor(
    readonly jobs: JobRowsService,
    readonly chunks: ChunksRepository,
    readonly lines: NameLinesService,
    readonly leftOut: LeftOutLinesService,
    readonly states: AccountStatesService,
    readonly owned: JobsService,
  ) {}
}

/** The reason to roll back the splitting of a job that was cancelled, or that another attempt has split. */
class NotToBeCut extends Error {}

/** Splits jobs into chunks, and removes jobs that were interrupted while they started. */
@Injectable()
export class StartJobsJob extends WorkRunner<JobWork> {
  private readonly turns = new LongTurns();

  constructor(
    private readonly database: Database,
    private readonly queues: JobQueues,
    private readonly features: JobRows,
    private readonly credits: JobCreditsService,
    logger: Logger,
  ) {
    const timeLimitMs = CUT_LIMIT_MS + LEFT_OUT_LIMIT_MS + MINUTE_MS;
    super({ queue: queues.starts, database, logger, concurrency: 2, timeLimitMs });
  }

  protected async handle(work: Work<JobWork>): Promise<Later | void> {
    const job = await this.features.jobs.find(this.database, work.payload.jobId);
    if (job?.state === 'validating') await this.undo(job, work);
    if (job?.state === 'queued') return this.cutInTurn(job, work);
  }

  /** Starts long jobs one at a time, so that short jobs always find a free slot. */
  private async cutInTurn(job: Job, work: Work<JobWork>): Promise<Later | void> {
    if (job.lines <= SHORT_LINES_MAX) return this.cut(job, work);
    if (!this.turns.begin(job)) return later(TURN_SECONDS);
    try {
      return await this.cut(job, work);
    } finally {
      this.turns.end(job);
    }
  }

  /**
   * Writes the rows of a job's left-out lines, and splits the other names into chunks; stops a job
   * that was cancelled, or whose account is not active. Several attempts may run at the same time,
   * but only one counts.
   */
  async cut(job: Job, work: Pick<Work, 'signal' | 'finish'>): Promise<Later | void> {
    const { jobs, chunks, lines, leftOut } = this.features;
    const { id: jobId, listId, kind } = job;
    const signal = AbortSignal.any([work.signal, AbortSignal.timeout(LEFT_OUT_LIMIT_MS)]);
    const part = await leftOut.write(job, signal);
    try {
      await this.database.transaction(async (transaction) => {
        await transaction.limitStatements(CUT_LIMIT_MS);
        await this.requireToBeCut(transaction, await jobs.find(transaction, jobId));
        const list = { jobId, listId, isByUpstream: kind === 'whois', namesMax: CHUNK_NAMES_MAX };
        const cut = await chunks.cut(transaction, list);
        if (listId === jobId) await lines.deleteList(transaction, listId);
        // The row is locked as late as possible, because a cancellation of the job waits for it.
        await this.requireToBeCut(transaction, await jobs.lock(transaction, jobId));
        await jobs.setRunning(transaction, jobId, { chunks: cut.length, leftOut: part });
        await this.queues.chunks.addAll(
          transaction,
          cut.map((one) => chunkWork(job, one)),
        );
        await work.finish(transaction);
      });
    } catch (error) {
      if (!(error instanceof NotToBeCut)) throw error;
      if (part) await leftOut.remove(part);
      await this.end(jobId);
      return later(0);
    }
  }

  /**
   * Checks that a job still waits to be split. @throws NotToBeCut if another attempt has split it, or if it was
   * cancelled or its account deleted before it had any chunks to cancel.
   */
  private async requireToBeCut(transaction: Transaction, job: Job | undefined): Promise<void> {
    if (job?.state !== 'queued' || job.isCanceled) throw new NotToBeCut();
    const { state } = await this.features.states.find(transaction, job.accountId);
    if (state !== 'active') throw new NotToBeCut();
  }

  /** Ends a job that waits to be split but must not be split. */
  private async end(jobId: string): Promise<void> {
    const { jobs, owned, states } = this.features;
    await this.database.transaction(async (transaction) => {
      const job = await jobs.lock(transaction, jobId);
      if (job?.state !== 'queued') return;
      const { state } = await states.find(transaction, job.accountId);
      if (job.isCanceled || state !== 'active') await owned.stop(transaction, job);
    });
  }

  /**
   * Undoes the start of a job. Whether its credits are held is unknown, but closing a hold that does not exist is
   * harmless.
   */
  private async undo(job: Job, work: Work<JobWork>): Promise<void> {
    const { jobs, lines } = this.features;
    await this.credits.release(job);
    await this.database.transaction(async (transaction) => {
      if ((await jobs.lock(transaction, job.id))?.state !== 'validating') return;
      if (job.listId === job.id) await lines.deleteList(transaction, job.listId);
      await jobs.delete(transaction, job.id);
      await work.finish(transaction);
    });
  }
}
