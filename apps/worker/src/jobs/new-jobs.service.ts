import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type DnsJobRequest,
  JOB_HOURS_MAX,
  type JobAnswer,
  type JobKind,
  type JobRequest,
} from '#libs/contracts';
import { Database, IdempotencyKeyRunning, type Transaction } from '#libs/database';
import { AccountTurns, Clock, DAY_MS, HOUR_MS, crashPoint, newId } from '#libs/platform';
import { OTHER_TLDS, estimatesOf, unsupportedOf } from '../names/name-groups.js';
import { NameLinesService } from '../names/name-lines.service.js';
import { UploadsService } from '../uploads/uploads.service.js';
import { JobCreditsService } from './job-credits.service.js';
import { JobQueues, jobWork } from './job-queues.js';
import { type NewJob, RESULTS_KEPT_MS, jobAnswer, priceOf } from './job.js';
import {
  JobCreditsBusy,
  NamesTwice,
  NoValidNames,
  TooManyFailedNames,
  TooManyFreeLines,
  TooManyJobs,
  TooManyUnchargedJobs,
} from './jobs.errors.js';
import { JobsRepository } from './jobs.repository.js';
import { type CountedNames, readNames } from './new-names.js';

const TLDS_SHOWN = 100;
const UNDER_WAY_MAX = 20;
/** The maximum number of an account's starts that run or wait: many more than can succeed. */
const STARTS_MAX = 10 * UNDER_WAY_MAX;
/**
 * The maximum number of jobs a day that charge nothing. Each job is stored and causes an e-mail;
 * without a limit, a free account could start any number.
 */
const UNCHARGED_A_DAY_MAX = 200;
/**
 * Maximum number of free lines in an account's stored results: as many as two uploads of maximum size contain. Every
 * line is written to the results of each job, even if it costs nothing. Without a limit, a free account could fill the
 * disk with one upload. For each name that a job charges, ten of its lines are not counted, because a list of URLs
 * repeats names.
 */
const FREE_LINES_KEPT_MAX = 6_000_000;
const FREE_LINES_OF_NAME = 10;
/**
 * Maximum number of failed names in an account's stored results; in each job, every charged name offsets one. Some
 * names fail at once, and one answered name is enough for a job to count as charged. This limit is high, because a
 * registry's outage may make whole jobs fail, which are then started again.
 */
const FAILED_NAMES_KEPT_MAX = 30_000_000;
/** After this time, an interrupted start is undone. */
const START_SECONDS = 180;

export interface JobOrder {
  kind: JobKind;
  request: DnsJobRequest | JobRequest;
  isDryRun: boolean;
  /** The caller's `Idempotency-Key`. Equal requests with the same key start only one job. */
  idempotencyKey?: string;
}

@Injectable()
export class JobNames {
  constructor(
    readonly lines: NameLinesService,
    readonly uploads: UploadsService,
  ) {}
}

/** Accepts jobs: counts their names, reserves their price, and queues them. */
@Injectable()
export class NewJobsService {
  /** A start that waits for the lock of its account holds one of the few database connections (S102). */
  private readonly turns = new AccountTurns({ atOnce: 1, max: STARTS_MAX });

  constructor(
    private readonly database: Database,
    private readonly jobs: JobsRepository,
    private readonly names: JobNames,
    private readonly credits: JobCreditsService,
    private readonly queues: JobQueues,
    private readonly clock: Clock,
  ) {}

  /**
   * Reserves the price of all names that have one, and starts a job. A dry run only returns the price and estimated
   * times. A request repeated with the same `Idempotency-Key` within a day gets the job that the first one started,
   * even if the process has died since.
   * @throws IdempotencyKeyRunning while the price of that job is being reserved; NamesTwice, NoValidNames, TooManyJobs,
   *   TooManyUnchargedJobs, TooManyFreeLines, TooManyFailedNames, NotFound, UploadNotReady, UploadIsRefused,
   *   JobShortOfCredits, JobCreditsBusy, ServiceUnavailable.
   */
  async create(accountId: string, order: JobOrder): Promise<JobAnswer> {
    const { upload_id: uploadId, domainNames } = order.request;
    if (uploadId !== undefined && domainNames) throw new NamesTwice();
    const names = uploadId
      ? await this.names.uploads.findReady(accountId, uploadId)
      : await readNames(accountId, domainNames ?? []);
    if (names.uniqueNames === 0) throw new NoValidNames();
    const job = this.newJob(accountId, order, names);
    if (order.isDryRun) return this.dryRun(job, names);
    const requestHash = hashOf(order);
    const dayAgo = new Date(job.createdAt.getTime() - DAY_MS);
    const begin = async (transaction: Transaction) => {
      await this.jobs.lockNew(transaction, accountId);
      const request = requestHash && { requestHash, since: dayAgo };
      const known = request && (await this.jobs.findRepeated(transaction, accountId, request));
      if (known) return known;
      const underWay = await this.jobs.countUnderWay(transaction, accountId);
      if (underWay >= UNDER_WAY_MAX) throw new TooManyJobs(UNDER_WAY_MAX);
      const uncharged = await this.jobs.countUncharged(transaction, accountId, dayAgo);
      if (uncharged >= UNCHARGED_A_DAY_MAX) throw new TooManyUnchargedJobs(UNCHARGED_A_DAY_MAX);
      await this.limitFreeLines(transaction, job);
      await this.jobs.insert(transaction, job, requestHash);
      if (uploadId) await this.names.uploads.keep(transaction, accountId, uploadId);
      if ('stored' in names) await this.names.lines.insert(transaction, job.id, names.stored);
      await this.queues.starts.add(transaction, {
        ...jobWork(job),
        delaySeconds: START_SECONDS,
      });
      return undefined;
    };
    const repeated = await this.turns.use(accountId, () => this.database.transaction(begin));
    if (repeated?.state === 'validating') throw new IdempotencyKeyRunning();
    if (repeated) return jobAnswer(repeated, this.clock.now());
    try {
      await this.credits.hold(job);
    } catch (error) {
      // The hold may exist. `StartJobsJob` closes it and removes this job.
      await this.wantStart(job);
      throw error;
    }
    crashPoint('job.after-hold');
    await this.database.transaction(async (transaction) => {
      // If this fails, starting took so long that it was undone, including the hold.
      if (!(await this.jobs.setQueued(transaction, accountId, job.id))) throw new JobCreditsBusy();
      await this.queues.starts.want(transaction, jobWork(job));
    });
    return jobAnswer({ ...job, ...UNTOUCHED, state: 'queued' }, job.createdAt);
  }

  /** Checks the limits on free lines and failed names. @throws TooManyFreeLines, TooManyFailedNames. */
  private async limitFreeLines(transaction: Transaction, job: NewJob): Promise<void> {
    const keptSince = new Date(job.createdAt.getTime() - RESULTS_KEPT_MS);
    const ofName = FREE_LINES_OF_NAME;
    const kept = await this.jobs.countFreeLines(transaction, job.accountId, keptSince, ofName);
    const added = job.lines - priceOf(job) * (1 + ofName);
    if (kept + Math.max(0, added) > FREE_LINES_KEPT_MAX) {
      throw new TooManyFreeLines(FREE_LINES_KEPT_MAX);
    }
    const failed = await this.jobs.countFailed(transaction, job.accountId, keptSince);
    if (failed >= FAILED_NAMES_KEPT_MAX) throw new TooManyFailedNames(FAILED_NAMES_KEPT_MAX);
  }

  private async wantStart(job: NewJob): Promise<void> {
    await this.database.transaction((transaction) =>
      this.queues.starts.want(transaction, jobWork(job)),
    );
  }

  private async dryRun(job: NewJob, { groups }: Pick<CountedNames, 'groups'>): Promise<JobAnswer> {
    const price = priceOf(job);
    const shortfall = await this.credits.shortfall(job.accountId, price);
    const answer = jobAnswer({ ...job, ...UNTOUCHED }, job.createdAt);
    const tlds = estimatesOf(groups, job.kind)
      .filter(({ tld }) => tld !== OTHER_TLDS)
      .slice(0, TLDS_SHOWN);
    return {
      ...answer,
      id: null,
      tlds: tlds.map(({ tld, names, seconds }) => ({ tld, names, eta_seconds: seconds })),
      credits: { price, held: 0, charged: 0, released: 0, shortfall },
    };
  }

  private newJob(
    accountId: string,
    { kind, request }: JobOrder,
    names: Omit<CountedNames, 'stored'>,
  ): NewJob {
    const id = newId();
    const createdAt = this.clock.now();
    const { format = 'csv.gz', max_age = 0, deadline_hours = JOB_HOURS_MAX } = request;
    const { lines, uniqueNames, invalid, invalidLines } = names;
    return {
      id,
      accountId,
      kind,
      format,
      lines,
      uniqueNames,
      invalid,
      invalidLines,
      unsupported: unsupportedOf(names.groups, kind),
      createdAt,
      types: ('types' in request ? request.types : undefined) ?? null,
      maxAgeSeconds: max_age,
      listId: request.upload_id ?? id,
      estimateSeconds: Math.max(...estimatesOf(names.groups, kind).map(({ seconds }) => seconds)),
      deadlineAt: new Date(createdAt.getTime() + deadline_hours * HOUR_MS),
    };
  }
}

function hashOf({ kind, request, idempotencyKey }: JobOrder): Buffer | undefined {
  if (idempotencyKey === undefined) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([idempotencyKey, kind, request]))
    .digest();
}

const UNTOUCHED = {
  state: 'validating',
  isCanceled: false,
  delivered: 0,
  failed: 0,
  charged: 0,
  finishedAt: null,
  expiresAt: null,
  artifact: null,
  leftOutPart: null,
  leftOutRows: 0,
} as const;
