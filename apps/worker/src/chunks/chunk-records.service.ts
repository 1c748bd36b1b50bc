import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, crashPoint } from '#libs/platform';
import { JobCreditsService } from '../jobs/job-credits.service.js';
import { CHUNK_NAMES_MAX, JobQueues } from '../jobs/job-queues.js';
import { type Job, secondsLeft } from '../jobs/job.js';
import { JobRowsService } from '../jobs/job-rows.service.js';
import type { ChunkAnswers } from './chunk-answers.js';
import { type Chunk, ChunksRepository } from './chunks.repository.js';

/** Records the results of chunks: first in the worker's rows, then in the customer's credits. */
@Injectable()
export class ChunkRecordsService {
  constructor(
    private readonly database: Database,
    private readonly jobs: JobRowsService,
    private readonly chunks: ChunksRepository,
    private readonly queues: JobQueues,
    private readonly credits: JobCreditsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Marks an open chunk as done, with its counts. Unless the job was cancelled, adds chunks for the names that are
   * looked up again, and queues the end of the job after its last chunk.
   * @returns the number of charged names; if the chunk was no longer open, the number in its row.
   */
  async keep(job: Job, chunk: Chunk, answers: ChunkAnswers, part: string): Promise<number> {
    const { charged, answered, followers } = answers;
    const isFirst = await this.database.transaction(async (transaction) => {
      const locked = await this.jobs.lock(transaction, job.id);
      if (!locked) return false;
      const counts = { delivered: charged, failed: answered - charged, charged };
      if (!(await this.chunks.setDone(transaction, chunk, { part, ...counts }))) return false;
      const next = locked.isCanceled ? [] : followers;
      const done = { ...counts, followers: next.length };
      const { open, firstNumber } = await this.jobs.addDone(transaction, job.id, done);
      const numbered = next.map((one, place) => ({ ...one, number: firstNumber + place }));
      await this.chunks.insertAll(transaction, job.id, numbered);
      const left = secondsLeft(job, this.clock.now());
      await this.queues.chunks.addAll(
        transaction,
        numbered.map(({ number, names, delaySeconds }) => ({
          ...chunkWork(job, { number, names: names.length }),
          delaySeconds: Math.min(delaySeconds, left),
        })),
      );
      if (open === 0 && !locked.isCanceled) await this.end(transaction, job);
      return true;
    });
    if (isFirst) return charged;
    return (await this.chunks.find(this.database, job.id, chunk.number))?.charged ?? 0;
  }

  /** Charges a chunk that is done. A repeat changes nothing. */
  async settle(job: Pick<Job, 'id' | 'accountId'>, number: number, charged: number): Promise<void> {
    await this.credits.settle(job, number, charged);
    crashPoint('chunk.after-settle');
    await this.chunks.setSettled(this.database, job.id, number);
  }

  private async end(transaction: Parameters<JobRowsService['lock']>[0], job: Job): Promise<void> {
    await this.jobs.setState(transaction, job.id, 'finalizing');
    const { id, accountId } = job;
    await this.queues.ends.want(transaction, { name: id, payload: { jobId: id }, accountId });
  }
}

/** Jobs with at most this many names are processed first, so that a few names never wait behind millions. */
const SMALL_JOB_NAMES = 10_000;

export const isSmall = ({ uniqueNames }: Pick<Job, 'uniqueNames'>) =>
  uniqueNames <= SMALL_JOB_NAMES;

/**
 * The minimum cost of a chunk, so that an account's turn has at most four chunks, even small ones. A chunk without
 * answers occupies a slot for as long as a large chunk.
 */
const COST_MIN = CHUNK_NAMES_MAX / 4;

export function chunkWork(
  job: Pick<Job, 'id' | 'accountId' | 'uniqueNames'>,
  { number, names }: { number: number; names: number },
) {
  const { id, accountId } = job;
  return {
    name: `${id} ${number}`,
    payload: { jobId: id, number },
    accountId,
    group: id,
    lane: isSmall(job) ? ('fast' as const) : ('normal' as const),
    cost: Math.max(COST_MIN, names),
  };
}
