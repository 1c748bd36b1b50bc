import { hostname } from 'node:os';
import type { MaintenanceDatabase } from './database.js';

/** The SQL of the table behind `JobLease`; it is the same in every schema. */
export const jobLeaseTable = `
create table job_lease (
  job text primary key,
  owner text not null,
  lease_until timestamptz not null
) with (fillfactor = 50);
`;

/**
 * The columns in which `JobLease` records runs. They have a separate migration, because released versions have the
 * table without them.
 */
export const jobRunColumns = `
alter table job_lease
  add column epoch bigint not null default 0,
  -- Of the run under way, or of the last one that was begun.
  add column started_at timestamptz,
  -- The beginning of the last run that was finished.
  add column last_run_at timestamptz`;

/** The column in which `JobLease` counts runs that were not finished, in a further migration for the same reason. */
export const unfinishedRunsColumn = `
-- Runs since the last finished one that failed or whose process was killed, not counting the one under way.
alter table job_lease add column unfinished_runs integer not null default 0;
`;

/** A lease that lasts longer is ignored, because earlier releases took leases of three intervals. */
const JOB_LEASE_MAX_MS = 60_000;

/** Identifies this process within the installation. */
const OWNER = `${hostname()}/${process.pid}/${process.hrtime.bigint()}`;

export interface JobLeaseOptions {
  job: string;
  /** How long other processes wait after the lease's holder has been killed; at most `JOB_LEASE_MAX_MS`. */
  leaseMs: number;
  everyMs: number;
  /** Another name for this process, for tests where one process acts as several. */
  owner?: string;
}

export interface JobRun {
  /** The epoch, as a decimal string. */
  epoch: string;
}

/**
 * The right to run a due job, which one process of an installation has at a time: a row with its holder, its end and
 * the start of the last run, by the database's clock. A lease lasts for one run. A process that was paused for longer
 * than its lease may finish its run beside its successor, so each write of a job must be safe to repeat. Its report
 * about the run is refused, because the epoch is no longer current.
 */
export class JobLease {
  constructor(
    private readonly database: MaintenanceDatabase,
    private readonly options: JobLeaseOptions,
  ) {
    if (options.leaseMs > JOB_LEASE_MAX_MS) {
      throw new Error(`a lease of a job lasts for ${JOB_LEASE_MAX_MS} ms at most`);
    }
  }

  /** Takes a due run. @returns undefined if no run is due, or another process is running it. */
  async take(): Promise<JobRun | undefined> {
    const { job, leaseMs, everyMs, owner = OWNER } = this.options;
    const [taken] = await this.database.query<JobRun>(TAKE_DUE, [job, owner, leaseMs, everyMs]);
    if (taken) return taken;
    const [first] = await this.database.query<JobRun>(TAKE_FIRST, [job, owner, leaseMs]);
    return first;
  }

  /**
   * Returns the milliseconds until a run may be taken, if no other process takes or renews it first; 0 if it may be
   * taken now.
   */
  async dueInMs(): Promise<number> {
    const { job, everyMs } = this.options;
    const [row] = await this.database.query<{ dueInMs: number }>(DUE_IN, [job, everyMs]);
    return row?.dueInMs ?? 0;
  }

  /** Extends the lease of a run. @returns false if another process now has the lease. */
  async renew({ epoch }: JobRun): Promise<boolean> {
    const { job, leaseMs } = this.options;
    return this.isWritten(RENEW, [job, epoch, leaseMs]);
  }

  /**
   * Records that a run is done: the next run is due one interval after its start.
   * @returns false if another process now has the lease.
   */
  async finish({ epoch }: JobRun): Promise<boolean> {
    return this.isWritten(FINISH, [this.options.job, epoch]);
  }

  /**
   * Releases a failed run, which another process can take after `pauseMs`.
   * @returns false if another process now has the lease.
   */
  async leave({ epoch }: JobRun, pauseMs: number): Promise<boolean> {
    return this.isWritten(RENEW, [this.options.job, epoch, pauseMs]);
  }

  private async isWritten(sql: string, parameters: unknown[]): Promise<boolean> {
    return (await this.database.query(sql, parameters)).length > 0;
  }
}

/**
 * Returns how many seconds late each job is: 0 if it is on time, or if its run has lasted for over two minutes and one
 * of the two runs before it was finished. Omits jobs that have never begun.
 */
export async function jobLateness(
  database: MaintenanceDatabase,
  jobs: readonly { job: string; everyMs: number }[],
): Promise<{ job: string; late: number }[]> {
  return database.query(LATE, [jobs.map(({ job }) => job), jobs.map(({ everyMs }) => everyMs)]);
}

const UNTIL = `clock_timestamp() + $3 * interval '1 ms'`;

/** The end of the lease of a finished run. */
const FINISHED = '-infinity';

const IS_LEASED = `lease_until between clock_timestamp()
  and clock_timestamp() + interval '${JOB_LEASE_MAX_MS} ms'`;

/**
 * Selects how many seconds late each job is. A run that has renewed its lease for minutes is slow, not late, unless
 * neither of the two runs before it was finished, because each run may fail after minutes. If no run has ever finished,
 * it is unknown when the first one was due: at least 10 s (or the job's interval) have passed since each failed run.
 */
const LATE = `
  select job, case when ${IS_LEASED} and started_at < clock_timestamp() - interval '2 minutes'
      and unfinished_runs < 2 then 0
    when last_run_at is null then (epoch - 1) * least(every_ms / 1000, 10)
    else greatest(0, extract(epoch from clock_timestamp() - last_run_at)::float8 - every_ms / 1000) end as late
  from job_lease join unnest($1::text[], $2::float8[]) as declared (job, every_ms) using (job)
  where epoch > 0`;

const DUE_IN = `
  select greatest(0, extract(epoch from greatest(
    case when ${IS_LEASED} then lease_until end,
    last_run_at + $2 * interval '1 ms') - clock_timestamp())::float8 * 1000) as "dueInMs"
  from job_lease where job = $1`;

const TAKE_DUE = `
  update job_lease set epoch = epoch + 1, started_at = clock_timestamp(), lease_until = ${UNTIL},
    owner = $2, unfinished_runs = case when lease_until = '${FINISHED}' then 0 else unfinished_runs + 1 end
  where job = $1 and not (${IS_LEASED})
    and (last_run_at is null or last_run_at + $4 * interval '1 ms' <= clock_timestamp())
  returning epoch`;

const TAKE_FIRST = `
  insert into job_lease (job, owner, epoch, started_at, lease_until)
  values ($1, $2, 1, clock_timestamp(), ${UNTIL})
  on conflict (job) do nothing returning epoch`;

const RENEW = `
  update job_lease set lease_until = ${UNTIL} where job = $1 and epoch = $2 returning job`;

const FINISH = `
  update job_lease set last_run_at = started_at, lease_until = '${FINISHED}'
  where job = $1 and epoch = $2 returning job`;
