import { DAY_MS, SECOND_MS } from '#libs/platform';
import type {
  InvalidLine,
  JobAnswer,
  JobArtifact,
  JobFormat,
  JobKind,
  JobState,
  NameRecordType,
} from '#libs/contracts';

export const RESULTS_KEPT_MS = 30 * DAY_MS;

export interface Job {
  id: string;
  accountId: string;
  kind: JobKind;
  state: JobState;
  isCanceled: boolean;
  format: JobFormat;
  types: NameRecordType[] | null;
  maxAgeSeconds: number;
  listId: string;
  lines: number;
  uniqueNames: number;
  invalid: number;
  invalidLines: InvalidLine[];
  /** In WHOIS jobs, the number of unique names without a known upstream. They are looked up free of charge. */
  unsupported: number;
  delivered: number;
  failed: number;
  charged: number;
  /** The number of answers in incomplete chunks. It is read only when the job is shown. */
  arrived?: number;
  /** The estimated duration in seconds if the service has no other work. */
  estimateSeconds: number;
  createdAt: Date;
  deadlineAt: Date;
  finishedAt: Date | null;
  expiresAt: Date | null;
  artifact: JobArtifact | null;
  /**
   * The key of the file that contains the lines without an answer of their own; `leftOutRows` is the number of these
   * lines.
   */
  leftOutPart: string | null;
  leftOutRows: number;
}

export type NewJob = Omit<
  Job,
  | 'state'
  | 'isCanceled'
  | 'delivered'
  | 'failed'
  | 'charged'
  | 'arrived'
  | 'finishedAt'
  | 'expiresAt'
  | 'artifact'
  | 'leftOutPart'
  | 'leftOutRows'
>;

/** Returns the price of a job in credits if every name with a price is answered. */
export const priceOf = ({ uniqueNames, unsupported }: Pick<Job, 'uniqueNames' | 'unsupported'>) =>
  uniqueNames - unsupported;

/** Returns the number of lines that get no answer of their own: rejected lines, and lines that repeat a name. */
export const leftOutLines = ({ lines, uniqueNames }: Pick<Job, 'lines' | 'uniqueNames'>) =>
  lines - uniqueNames;

const UNDER_WAY: readonly JobState[] = ['validating', 'queued', 'running', 'finalizing'];

export const isUnderWay = ({ state }: Pick<Job, 'state'>) => UNDER_WAY.includes(state);

/** Returns the seconds until the deadline, at least one. */
export const secondsLeft = ({ deadlineAt }: Pick<Job, 'deadlineAt'>, now: Date) =>
  Math.max(1, Math.ceil((deadlineAt.getTime() - now.getTime()) / SECOND_MS));

export interface Part {
  part: string;
  rows: number;
}

/** Returns the folder of the files from which a job's results are joined. */
export const partsFolder = (jobId: string) => `jobs/${jobId}/parts/`;
export const resultKey = ({ id, format }: Pick<Job, 'id' | 'format'>) =>
  `jobs/${id}/results.${format}`;

/**
 * Estimates the remaining seconds, at most until the deadline, from the job's rate so far or, before the first answer,
 * from the known rates of its upstreams. Answers arrive in chunks, so the rate after the first small chunk means
 * little. Therefore, the first estimate is an upper limit until that much time has passed.
 */
function etaSeconds(job: Job, done: number, now: Date): number {
  const lived = Math.max(0, now.getTime() - job.createdAt.getTime()) / SECOND_MS;
  const left = Math.max(0, (job.deadlineAt.getTime() - now.getTime()) / SECOND_MS);
  const byPace = (lived * (job.uniqueNames - done)) / done;
  if (done === 0) return Math.ceil(Math.min(left, job.estimateSeconds));
  const most = lived < job.estimateSeconds ? job.estimateSeconds : Infinity;
  return Math.ceil(Math.min(left, byPace, most));
}

export function jobAnswer(job: Job, now: Date): JobAnswer {
  const { delivered, failed } = job;
  const arrived = isUnderWay(job) ? (job.arrived ?? 0) : 0;
  const done = delivered + failed + arrived;
  const price = priceOf(job);
  // A job that ends has no names left to charge, and may wait for days for the file store.
  const isHeld = isUnderWay(job) && (job.state !== 'finalizing' || job.isCanceled);
  const held = isHeld ? price - job.charged : 0;
  return {
    status: true,
    id: job.id,
    kind: job.kind,
    state: job.state,
    format: job.format,
    counts: {
      lines: job.lines,
      unique: job.uniqueNames,
      invalid: job.invalid,
      duplicates: job.lines - job.invalid - job.uniqueNames,
      unsupported: job.unsupported,
      delivered,
      failed,
      arrived,
      waiting: isUnderWay(job) ? job.uniqueNames - done : 0,
    },
    credits: {
      price,
      held,
      charged: job.charged,
      released: price - job.charged - held,
    },
    progress: Math.min(1, done / job.uniqueNames),
    eta_seconds: isUnderWay(job) && !job.isCanceled ? etaSeconds(job, done, now) : null,
    created_at: job.createdAt.toISOString(),
    deadline_at: job.deadlineAt.toISOString(),
    finished_at: job.finishedAt?.toISOString() ?? null,
    expires_at: job.expiresAt?.toISOString() ?? null,
    invalid_lines: job.invalidLines,
    artifacts: job.artifact ? [job.artifact] : [],
  };
}
