import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { FileStore } from '#libs/files';
import { Clock, Logger, Loop, MINUTE_MS, SECOND_MS, crashPoint, newId } from '#libs/platform';
import { type Later, type Work, WorkCancelled, WorkRunner, later } from '#libs/work';
import { AccountStatesService } from '../accounts/account-states.service.js';
import { type ChunkWork, JobQueues } from '../jobs/job-queues.js';
import { type Job, partsFolder, secondsLeft } from '../jobs/job.js';
import { JobRowsService } from '../jobs/job-rows.service.js';
import { upstreamOf } from '../names/read-name.js';
import { BusyUpstreams } from './busy-upstreams.js';
import { ChunkAnswers } from './chunk-answers.js';
import { ChunkQuestionsService } from './chunk-questions.service.js';
import { type Chunk, ChunksRepository } from './chunks.repository.js';
import { ChunkRecordsService, isSmall } from './chunk-records.service.js';

/** Maximum number of chunks that a process looks up at a time. Most wait for the rate limits of their upstreams. */
export const CONCURRENCY = 16;
const TIME_LIMIT_MS = 5 * MINUTE_MS;
/**
 * After this time, names without an answer are moved to a chunk of their own, behind the chunks of other customers.
 * Otherwise, names whose servers do not answer would occupy all slots for minutes, and a chunk that exceeds its time
 * limit would lose its answers each time. This time is longer than a lookup may wait for its turn.
 */
export const ASKING_MS = 45 * SECOND_MS;
/**
 * After this time, a chunk may lose its place to an account that has none. This time is longer than the timeout for a
 * silent name server.
 */
export const ASKING_MIN_MS = 10 * SECOND_MS;
const SUSPENDED_SECONDS = 300;
const BACK_OFF_MS = [5 * SECOND_MS, 15 * SECOND_MS, MINUTE_MS];
/** Maximum number of attempts. Most are a minute apart, so no chunk is abandoned before its job ends. */
const TRIES_MAX = 20_000;
const PROGRESS_MS = 2 * SECOND_MS;
const MEMBER_BYTES_MAX = 512 * 1024 ** 2;

interface Place {
  accountId: string;
  /** Aborted at the end of the chunk's minimum time. */
  hadTime: AbortSignal;
  /** Ends the lookups when another account needs the place. */
  wanted: AbortController;
}

@Injectable()
export class ChunkFeatures {
  constructor(
    readonly queues: JobQueues,
    readonly jobs: JobRowsService,
    readonly chunks: ChunksRepository,
    readonly states: AccountStatesService,
    readonly questions: ChunkQuestionsService,
    readonly records: ChunkRecordsService,
  ) {}
}

/**
 * Looks up the names of chunks. The answers are first written to a file, then the file's key and the count to the
 * chunk's row, and then the count is charged. If the process dies before the row is written, nothing is charged; if it
 * dies later, the count in the row is charged.
 */
@Injectable()
export class ChunksJob extends WorkRunner<ChunkWork> {
  /** Oldest first. */
  private readonly places = new Set<Place>();
  private readonly upstreams = new BusyUpstreams();

  constructor(
    private readonly database: Database,
    private readonly features: ChunkFeatures,
    private readonly files: FileStore,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {
    super({
      queue: features.queues.chunks,
      database,
      logger: log,
      concurrency: CONCURRENCY,
      timeLimitMs: TIME_LIMIT_MS,
      backOffMs: BACK_OFF_MS,
      triesMax: TRIES_MAX,
    });
  }

  protected async handle(work: Work<ChunkWork>): Promise<Later | void> {
    const { jobs, chunks, states, records } = this.features;
    const { jobId, number } = work.payload;
    const job = await jobs.find(this.database, jobId);
    const chunk = await chunks.find(this.database, jobId, number);
    if (!job || !chunk || chunk.state === 'settled' || chunk.state === 'abandoned') return;
    let { charged } = chunk;
    if (chunk.state === 'open') {
      const { isSuspended } = await states.find(this.database, job.accountId);
      if (isSuspended && this.clock.now() < job.deadlineAt)
        return this.later(SUSPENDED_SECONDS, job);
      // Otherwise, while the disk is full, answers would be looked up again and again without being stored.
      await this.files.check();
      crashPoint('chunk.after-claim');
      const answers = await this.answersInTurn(job, chunk, work.signal);
      if (typeof answers === 'number') return this.later(answers, job);
      const seconds = answers.allLaterSeconds;
      if (seconds !== undefined) return this.later(seconds, job);
      crashPoint('chunk.after-answers');
      const part = await this.write(job, chunk, answers);
      crashPoint('chunk.after-write');
      charged = await records.keep(job, chunk, answers, part);
      crashPoint('chunk.after-commit');
    }
    await records.settle(job, number, charged);
  }

  /**
   * Fetches the answers for a chunk of names. @returns the seconds to wait if their upstream is busy and enough chunks
   * of the account already ask it. @throws the errors of `answersOf`.
   */
  private async answersInTurn(
    job: Job,
    chunk: Chunk,
    signal: AbortSignal,
  ): Promise<ChunkAnswers | number> {
    const hasTurns = job.kind === 'whois' && job.maxAgeSeconds === 0;
    if (!hasTurns || this.clock.now() >= job.deadlineAt) return this.answersOf(job, chunk, signal);
    // A small job does not wait behind the chunks of a large job of the same account.
    const asker = `${job.accountId} ${isSmall(job) ? 'small' : 'large'}`;
    const end = this.upstreams.begin(asker, upstreamOf(chunk.names[0]));
    if (typeof end === 'number') return end;
    let isRefused = false;
    try {
      const answers = await this.answersOf(job, chunk, signal);
      ({ isRefused } = answers);
      return answers;
    } finally {
      end(isRefused);
    }
  }

  /**
   * Fetches the answers for a chunk. If the job is cancelled or reaches its deadline, the answers received so far
   * count.
   * @throws ServiceUnavailable; the reason of the signal.
   */
  private async answersOf(job: Job, chunk: Chunk, signal: AbortSignal): Promise<ChunkAnswers> {
    const answers = new ChunkAnswers(job, chunk);
    if (this.clock.now() < job.deadlineAt) {
      const wanted = new AbortController();
      const hadTime = AbortSignal.timeout(ASKING_MIN_MS);
      const place = { accountId: job.accountId, hadTime, wanted };
      this.places.add(place);
      const telling = this.telling(chunk, answers, place);
      void telling.start(PROGRESS_MS);
      const late = AbortSignal.any([AbortSignal.timeout(ASKING_MS), wanted.signal]);
      try {
        await this.features.questions.ask(job, chunk, answers, AbortSignal.any([signal, late]));
      } catch (error) {
        if (late.aborted && !signal.aborted) answers.putOff();
        else if (!(signal.reason instanceof WorkCancelled)) throw error;
      } finally {
        this.places.delete(place);
        await telling.stop();
      }
    }
    if (this.clock.now() >= job.deadlineAt) answers.close();
    return answers;
  }

  /**
   * Returns a wait of this many seconds, or until the job's deadline if that is earlier, because
   * the job then ends.
   */
  private later(seconds: number, job: Job): Later {
    return later(Math.min(seconds, secondsLeft(job, this.clock.now())));
  }

  /**
   * Returns a loop that stores the progress, and ends the lookups if another account needs the place. A chunk with a
   * slow upstream takes a minute, and the customer should see progress in the meantime.
   */
  private telling(chunk: Chunk, answers: ChunkAnswers, place: Place): Loop {
    const work = async () => {
      await this.features.chunks.setArrived(this.database, chunk, answers.answered);
      if (await this.isWanted(place)) place.wanted.abort();
    };
    const name = 'the progress of chunks';
    return new Loop({ name, intervalMs: PROGRESS_MS, logger: this.log, work });
  }

  /**
   * Whether this place must be given up: its minimum time is over, all places are taken, an account without a place is
   * waiting, and this is the oldest place of the account with the most places, at least two.
   */
  private async isWanted(place: Place): Promise<boolean> {
    if (this.places.size < CONCURRENCY || !place.hadTime.aborted) return false;
    const byAccount = Map.groupBy(this.places, ({ accountId }) => accountId);
    const most = Math.max(...[...byAccount.values()].map(({ length }) => length));
    const [oldest] = [...byAccount.values()].find(({ length }) => length === most)!;
    if (most === 1 || oldest !== place) return false;
    return this.queue.isWaitedFor(this.database, [...byAccount.keys()]);
  }

  /**
   * Writes the answers to a new file, because several attempts may run; the chunk's row says which
   * file counts.
   * @returns the key of the file.
   */
  private async write(job: Job, { number }: Chunk, answers: ChunkAnswers): Promise<string> {
    const key = `${partsFolder(job.id)}${number}-${newId()}.gz`;
    const member = await answers.member();
    await this.files.write(key, [member], { maxBytes: MEMBER_BYTES_MAX, ifAbsent: true });
    return key;
  }
}
