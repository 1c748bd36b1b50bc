import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { JobLease, MaintenanceDatabase } from '#libs/database';
import { type Job, type Logger, Loop, SECOND_MS } from '#libs/platform';

/** A job of a service and how often it looks for what is due. */
export interface JobDeclaration {
  /** A provider of the service's module. */
  job: Type<Job>;
  everyMs: number;
  /**
   * `process`: in each process of the service, which share the work by locked rows or have work of their own.
   * `installation`: in one process at a time; another takes over when that one is gone.
   */
  runs: 'process' | 'installation';
}

/** How long a process that was killed keeps a job from the others. */
const LEASE_MIN_MS = 30 * SECOND_MS;

/** The jobs of a running service, until `stop`. */
export interface RunningJobs {
  /** No further runs; waits for those under way. */
  stop(): Promise<void>;
}

/** Runs every job of a service that has started, at once and again. Leases are rows of its `MaintenanceDatabase`. */
export function startJobs(
  { app }: { app: Pick<ModuleRef, 'get'> },
  logger: Logger,
  declarations: readonly JobDeclaration[],
): RunningJobs {
  const jobs = declarations.map(({ job: type, everyMs, runs }) => {
    const job = app.get<Job>(type, { strict: false });
    if (runs === 'process') return { job, everyMs };
    const database = app.get<MaintenanceDatabase>(MaintenanceDatabase, { strict: false });
    return { job: new LeasedJob(job, { database, logger, everyMs }), everyMs };
  });
  const loops = jobs.map(
    ({ job, everyMs }) =>
      new Loop({
        name: `job ${job.name}`,
        intervalMs: everyMs,
        logger,
        work: async () => job.runOnce(),
      }),
  );
  for (const loop of loops) void loop.start();
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      await Promise.all(jobs.map(({ job }) => job.end?.()));
    },
  };
}

export interface LeasedJobOptions {
  database: MaintenanceDatabase;
  logger: Logger;
  everyMs: number;
}

/** Does a job only while this process holds its lease. */
export class LeasedJob implements Job {
  readonly name: string;
  private readonly lease: JobLease;
  private readonly leaseMs: number;

  constructor(
    private readonly job: Job,
    private readonly options: LeasedJobOptions,
  ) {
    const { database, everyMs } = options;
    this.name = job.name;
    this.leaseMs = Math.max(LEASE_MIN_MS, 3 * everyMs);
    this.lease = new JobLease(database, { job: job.name, leaseMs: this.leaseMs });
  }

  /** @returns whether it was this process's turn. */
  async runOnce(): Promise<boolean> {
    if (!(await this.lease.take())) return false;
    // A run that takes longer than the lease keeps it; what cannot be renewed ends by itself.
    const renewal = new Loop({
      name: `lease of job ${this.name}`,
      intervalMs: this.leaseMs / 3,
      logger: this.options.logger,
      work: async () => this.lease.take(),
    });
    void renewal.start(this.leaseMs / 3);
    try {
      await this.job.runOnce();
      return true;
    } finally {
      await renewal.stop();
    }
  }

  /** Leaves the job to another process at once. While the database is unavailable the lease stays until it ends. */
  async end(): Promise<void> {
    await this.lease.release().catch(() => {});
  }
}
