import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '../../../apps/services.js';
import { holds } from './broken.js';

/** How late a run may finish after the process that did the job was killed, or after a run failed. */
const LATE_MAX_MS = 90_000;
/** Extra time for each further run in a row that was killed or failed: a lease, and the start of the next process. */
const FURTHER_MS = 45_000;
const LOOK_MS = 1_000;

interface WatchedJob {
  schema: string;
  job: string;
  everyMs: number;
}

interface SeenRun {
  schema: string;
  job: string;
  /** The number of runs started. */
  epoch: number;
  /** Time since the last finished run began. */
  ageMs: number;
  /** Its start, in milliseconds of the database's clock. */
  beganAtMs: number;
  isUnderWay: boolean;
}

/** Every job that an installation runs once per interval. */
const JOBS: WatchedJob[] = [];
for (const { name: schema, load } of SERVICES) {
  for (const { job, everyMs, runs } of (await load()).jobs) {
    if (runs !== 'installation') continue;
    JOBS.push({ schema, job: Reflect.construct(job, []).name, everyMs });
  }
}

/** The last finished run of a job, and the runs started since. */
interface FinishedRun {
  ageMs: number;
  epoch: number;
  lastEpoch: number;
  /** How late the job was when each of these runs was first seen, in seconds. */
  begunLate: number[];
}

/** Checks how late each periodic job is, using the rows that its processes share and the database's clock. */
export class JobWatch {
  /** The job that was latest, with an explanation of its delay. */
  latest = { name: 'none', lateMs: 0, story: '' };
  /** Runs that ended with their process. */
  died = 0;
  private dueAtMs = 0;
  private readonly finished = new Map<string, FinishedRun>();
  private readonly stopping = new AbortController();
  private readonly faults = new Map<string, string>();
  private readonly absences: { service: string; from: number; until: number }[] = [];

  /** @param sql runs a statement as the database's superuser. */
  constructor(
    private readonly sql: <T extends object>(text: string, values?: unknown[]) => Promise<T[]>,
  ) {}

  get count(): number {
    return JOBS.length;
  }

  /** Makes jobs due as if an interval had passed since their last run, so that no test waits for days or hours. */
  async makeDue(): Promise<void> {
    [{ now: this.dueAtMs }] = await this.sql<{ now: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
    );
    for (const { schema, job, everyMs } of JOBS) {
      await this.sql(
        `update ${schema}.job_lease set last_run_at = clock_timestamp() - $2 * interval '1 ms'
         where job = $1 and last_run_at > clock_timestamp() - $2 * interval '1 ms'`,
        [job, everyMs],
      );
    }
  }

  /** Watches until `stop`. */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look();
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }

  stop(): void {
    this.stopping.abort();
  }

  /** While a service restarts, nothing can run its jobs. That time is measured separately and not counted here. */
  async leaveOut(service: string, restart: () => Promise<unknown>): Promise<void> {
    const absence = { service, from: performance.now(), until: Infinity };
    this.absences.push(absence);
    await restart();
    absence.until = performance.now();
  }

  /** @throws Broken unless each job ran in time. */
  check(): void {
    holds(this.faults.size === 0, [...this.faults.values()].join('; '));
  }

  /** Whether every job has run since it was made due, or has ever run. */
  async haveRun(): Promise<boolean> {
    const seen = await this.seen();
    return JOBS.every(({ schema, job, everyMs }) =>
      // A run that was in progress when the job was made due counts once it is finished, because no other is due then.
      seen.some(
        (run) =>
          isRunOf(run, { schema, job }) && (run.beganAtMs > this.dueAtMs || run.ageMs < everyMs),
      ),
    );
  }

  private async look(): Promise<void> {
    for (const { schema, job, epoch, ageMs, isUnderWay } of await this.seen()) {
      const { everyMs } = JOBS.find((one) => isRunOf(one, { schema, job }))!;
      const name = `${schema} ${job}`;
      let last = this.finished.get(name);
      if (last === undefined || ageMs < last.ageMs) {
        const finished = isUnderWay ? epoch - 1 : epoch;
        last = { ageMs, epoch: finished, lastEpoch: finished, begunLate: [] };
        this.finished.set(name, last);
      } else last.ageMs = ageMs;
      // Runs started after the last finished one, without the one in progress.
      const died = epoch - last.epoch - (isUnderWay ? 1 : 0);
      const awayMs = this.awayMs(schema, ageMs - everyMs);
      const lateMs = ageMs - everyMs - awayMs;
      if (epoch > last.lastEpoch) last.begunLate.push(Math.round((lateMs + awayMs) / 1000));
      last.lastEpoch = epoch;
      this.died = Math.max(this.died, died);
      const story =
        `${name} was ${Math.round(lateMs)} ms late, and its service was down for ${Math.round(awayMs)} ms more; ` +
        `runs began at ${last.begunLate.join(', ')} s`;
      if (lateMs > this.latest.lateMs) this.latest = { name, lateMs: Math.round(lateMs), story };
      const limitMs = LATE_MAX_MS + FURTHER_MS * Math.max(0, died - 1);
      if (lateMs > limitMs) this.faults.set(name, `${story}; ${limitMs} ms are allowed`);
    }
  }

  /** How much of the last `lateMs` the service was unavailable. */
  private awayMs(service: string, lateMs: number): number {
    const now = performance.now();
    const own = this.absences.filter((absence) => absence.service === service);
    const parts = own.map(({ from, until }) => Math.min(until, now) - Math.max(from, now - lateMs));
    return parts.reduce((sum, part) => sum + Math.max(0, part), 0);
  }

  private async seen(): Promise<SeenRun[]> {
    const schemas = [...new Set(JOBS.map(({ schema }) => schema))];
    const rows = schemas.map(
      (schema) => `select '${schema}' as schema, job, epoch::int,
        extract(epoch from clock_timestamp() - last_run_at)::float8 * 1000 as "ageMs",
        extract(epoch from last_run_at)::float8 * 1000 as "beganAtMs",
        lease_until > clock_timestamp() as "isUnderWay"
      from ${schema}.job_lease where last_run_at is not null`,
    );
    const seen = await this.sql<SeenRun>(rows.join(' union all '));
    return seen.filter((run) => JOBS.some((one) => isRunOf(run, one)));
  }
}

const isRunOf = (
  run: { schema: string; job: string },
  { schema, job }: { schema: string; job: string },
) => run.schema === schema && run.job === job;
