import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { JobLease, type JobRun, MaintenanceDatabase } from '#libs/database';
import { type Job, type Logger, Loop, SECOND_MS } from '#libs/platform';
import { ClockCheck } from './clock-check.js';

export interface JobDeclaration {
  /** The class of the job, a provider of the service's module. */
  job: Type<Job>;
  everyMs: number;
  /**
   * `process`: the job runs in each process of the service; the processes share the work through locked rows, or each
   * has its own work. The first run is at the start. `installation`: the job runs once per `everyMs`, however many
   * processes there are and however often they start.
   */
  runs: 'process' | 'installation';
}

/** How long a lease lasts without renewal. Until then, no other process takes over the job of a killed process. */
const LEASE_MS = 20 * SECOND_MS;
/**
 * How often a process checks whether an infrequent job is due; it also checks when another process's lease ends. This
 * interval, the lease and one failed run determine how late a run may be after a kill.
 */
const LOOK_MS = 30 * SECOND_MS;
/** The pause after a failed run, because the called service may just be starting again. */
const RETRY_SOON_MS = 10 * SECOND_MS;
/**
 * The pauses after consecutive failures. The first ones are short, because a called service that is restarting may fail
 * several times in a row.
 */
const RETRY_PAUSES_MS = [
  RETRY_SOON_MS,
  RETRY_SOON_MS,
  RETRY_SOON_MS,
  20 * SECOND_MS,
  40 * SECOND_MS,
];
const RETRY_MS = 60 * SECOND_MS;

interface ScheduledJob {
  job: Job;
  intervalMs: number;
}

export interface RunningJobs {
  /** Starts no further runs, and waits for the current runs. */
  stop(): Promise<void>;
}

/**
 * Runs every job of a started service until the service stops, but none while the clock of this machine is wrong by
 * days. Leases are rows of the service's `MaintenanceDatabase`.
 */
export function startJobs(
  { app }: { app: Pick<ModuleRef, 'get'> },
  logger: Logger,
  declarations: readonly JobDeclaration[],
): RunningJobs {
  if (declarations.length === 0) return { stop: async () => {} };
  const database = app.get<MaintenanceDatabase>(MaintenanceDatabase, { strict: false });
  const clock = new ClockCheck(database);
  const jobs = declarations.map(({ job: type, everyMs, runs }): ScheduledJob => {
    const job = app.get<Job>(type, { strict: false });
    if (runs === 'process') return { job, intervalMs: everyMs };
    const leased = new LeasedJob(job, { database, logger, everyMs });
    return { job: leased, intervalMs: Math.min(everyMs, LOOK_MS) };
  });
  const loops = jobs.map(({ job, intervalMs }) => {
    const name = `job ${job.name}`;
    const work = async () => {
      await clock.pass();
      return job.runOnce();
    };
    const loop = new Loop({ name, intervalMs, logger, work });
    job.wakeBy?.(() => loop.wake());
    return loop;
  });
  for (const loop of loops) void loop.start();
  return {
    stop: async () => {
      const ends = jobs.map(({ job }) => job.stop?.());
      await Promise.all([...loops.map((loop) => loop.stop()), ...ends]);
    },
  };
}

export interface LeasedJobOptions {
  database: MaintenanceDatabase;
  logger: Logger;
  everyMs: number;
  /** How long the lease of a run lasts without renewal, 20 s by default. */
  leaseMs?: number;
}

/** Runs a job when it is due and no other process is running it. */
export class LeasedJob implements Job {
  readonly name: string;
  private readonly lease: JobLease;
  private readonly leaseMs: number;
  private wake = () => {};
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private failures = 0;

  constructor(
    private readonly job: Job,
    private readonly options: LeasedJobOptions,
  ) {
    const { database, everyMs, leaseMs = LEASE_MS } = options;
    this.name = job.name;
    this.leaseMs = leaseMs;
    this.lease = new JobLease(database, { job: job.name, leaseMs, everyMs });
  }

  wakeBy(wake: () => void): void {
    this.wake = wake;
  }

  /** Ends the job's current run early if the job can do that. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.job.stop?.();
  }

  /**
   * Runs the job if it is due. @returns whether a run was due in this process. @throws the errors of the run, which is
   * then due again within a minute, and those of the database.
   */
  async runOnce(): Promise<boolean> {
    const run = await this.lease.take().catch((error: unknown) => this.lookSoon(error));
    if (run === undefined) {
      // The process with the lease may have been killed, and its lease may have ended since `take`.
      const dueInMs = await this.lease.dueInMs();
      if (dueInMs < LOOK_MS) this.lookIn(dueInMs);
      return false;
    }
    const stopRenewing = this.keepRenewing(run);
    try {
      await this.job.runOnce();
    } catch (error) {
      await stopRenewing();
      const pauseMs = RETRY_PAUSES_MS[this.failures] ?? RETRY_MS;
      this.failures += 1;
      await this.lease.leave(run, Math.min(this.options.everyMs, pauseMs)).catch(() => {});
      this.lookIn(pauseMs);
      throw error;
    }
    this.failures = 0;
    await stopRenewing();
    const isNoted = await this.lease.finish(run).catch((error: unknown) => this.lookSoon(error));
    if (!isNoted) this.warn('had lost its lease before it ended');
    return true;
  }

  /** Schedules an early check, because the database may answer before the next regular one. @throws the given error. */
  private lookSoon(error: unknown): never {
    this.lookIn(RETRY_SOON_MS);
    throw error;
  }

  private lookIn(ms: number): void {
    clearTimeout(this.timer);
    if (!this.isStopped) this.timer = setTimeout(() => this.wake(), ms + 1).unref();
  }

  /**
   * Starts to renew the lease of a run, three times per lease, in case the run takes longer. The lease expires if the
   * database is unavailable for too long. @returns a function that ends the renewal.
   */
  private keepRenewing(run: JobRun): () => Promise<void> {
    const intervalMs = this.leaseMs / 3;
    const renewal = new Loop({
      name: `lease of job ${this.name}`,
      intervalMs,
      logger: this.options.logger,
      work: async () => {
        if (!(await this.lease.renew(run))) this.warn('has lost its lease but continues');
      },
    });
    void renewal.start(intervalMs);
    return () => renewal.stop();
  }

  private warn(what: string): void {
    this.options.logger.warn(`job ${this.name} ${what}`);
  }
}
