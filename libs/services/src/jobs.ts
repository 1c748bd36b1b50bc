import type { Type } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { JobLease, MaintenanceDatabase } from '#libs/database';
import { type Job, SECOND_MS, type Schedule } from '#libs/platform';

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

/** Begins every job of a service that has started. Leases are rows of its `MaintenanceDatabase`. */
export function scheduleJobs(
  schedule: Schedule,
  { app }: { app: Pick<ModuleRef, 'get'> },
  jobs: readonly JobDeclaration[],
): void {
  for (const { job: type, everyMs, runs } of jobs) {
    const job = app.get<Job>(type, { strict: false });
    if (runs === 'process') schedule.every(everyMs, job);
    else {
      const database = app.get<MaintenanceDatabase>(MaintenanceDatabase, { strict: false });
      schedule.every(everyMs, new LeasedJob(job, database, everyMs));
    }
  }
}

/** Does a job only while this process holds its lease. */
export class LeasedJob implements Job {
  readonly name: string;
  private readonly lease: JobLease;
  private readonly leaseMs: number;

  constructor(
    private readonly job: Job,
    database: MaintenanceDatabase,
    everyMs: number,
  ) {
    this.name = job.name;
    this.leaseMs = Math.max(LEASE_MIN_MS, 3 * everyMs);
    this.lease = new JobLease(database, { job: job.name, leaseMs: this.leaseMs });
  }

  /** @returns whether it was this process's turn. */
  async runOnce(): Promise<boolean> {
    if (!(await this.lease.take())) return false;
    // A run that takes longer than the lease keeps it; what cannot be renewed ends by itself.
    const renewal = setInterval(() => void this.lease.take().catch(() => {}), this.leaseMs / 3);
    try {
      await this.job.runOnce();
      return true;
    } finally {
      clearInterval(renewal);
    }
  }

  /** Leaves the job to another process at once. A database that is away keeps the lease until it ends. */
  async end(): Promise<void> {
    await this.lease.release().catch(() => {});
  }
}
