import type { MaintenanceDatabase } from '#libs/database';
import { DAY_MS, MINUTE_MS, machineMs, monotonicMs } from '#libs/platform';

/** Less than any period after which a job deletes something, and more than the error of a wrong time zone. */
const DAYS_MAX = 2;
const CHECK_EVERY_MS = MINUTE_MS;

/**
 * Compares this machine's clock with the database's, about once a minute. Jobs delete what is old, expire credits and
 * erase accounts: with a clock that is months ahead, one machine would do so for the whole installation.
 */
export class ClockCheck {
  private checkedAtMs = -Infinity;
  private running?: Promise<void>;

  constructor(private readonly database: MaintenanceDatabase) {}

  /** @throws Error if the two clocks differ by days. Nothing is known while the database does not answer. */
  async pass(): Promise<void> {
    if (monotonicMs() - this.checkedAtMs < CHECK_EVERY_MS) return;
    this.running ??= this.check().finally(() => (this.running = undefined));
    await this.running;
  }

  private async check(): Promise<void> {
    const rows = await this.database
      .query<{ now: Date }>('select clock_timestamp() as now')
      .catch(() => []);
    if (rows.length === 0) return;
    const days = (machineMs() - rows[0].now.getTime()) / DAY_MS;
    if (Math.abs(days) > DAYS_MAX) {
      const off = `${Math.round(Math.abs(days))} days ${days > 0 ? 'ahead of' : 'behind'}`;
      throw new Error(
        `the clock of this machine is ${off} that of the database: no job runs until it is right`,
      );
    }
    this.checkedAtMs = monotonicMs();
  }
}
