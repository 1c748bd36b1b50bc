import { hostname } from 'node:os';
import type { MaintenanceDatabase } from './database.js';

/** SQL of the table behind `JobLease`, the same in every schema. */
export const jobLeaseTable = `
create table job_lease (
  job text primary key,
  owner text not null,
  lease_until timestamptz not null
) with (fillfactor = 50);
`;

/** This process among all of the installation. */
const OWNER = `${hostname()}/${process.pid}/${process.hrtime.bigint()}`;

export interface JobLeaseOptions {
  job: string;
  /** How long the others wait for a process that is gone. */
  leaseMs: number;
  /** Another name for this process, where one plays several. */
  owner?: string;
}

/**
 * The right to do a job that one process of an installation does at a time: a row that says who and until
 * when, by the database's clock. It has no epoch: a process that stood still for longer than its lease may
 * finish its run beside its successor, so a job's single writes must bear to be done twice.
 */
export class JobLease {
  constructor(
    private readonly database: MaintenanceDatabase,
    private readonly options: JobLeaseOptions,
  ) {}

  /** Takes or prolongs it. @returns false while another process has it. */
  async take(): Promise<boolean> {
    const { job, leaseMs, owner = OWNER } = this.options;
    const rows = await this.database.query(
      `insert into job_lease as l (job, owner, lease_until)
       values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
       on conflict (job) do update set owner = excluded.owner, lease_until = excluded.lease_until
         where l.owner = excluded.owner or l.lease_until < clock_timestamp()
       returning job`,
      [job, owner, leaseMs],
    );
    return rows.length > 0;
  }

  /** Releases it for the next process. */
  async release(): Promise<void> {
    const { job, owner = OWNER } = this.options;
    await this.database.query('delete from job_lease where job = $1 and owner = $2', [job, owner]);
  }
}
