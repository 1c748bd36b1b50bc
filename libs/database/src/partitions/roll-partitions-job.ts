import { type Clock, type Job, SystemClock } from '#libs/platform';
import type { MaintenanceDatabase } from '../database.js';
import { sqlStateOf } from '../database-failure.js';

/**
 * Maximum number of partitions that a run detaches: enough for a year of a dozen tables, or of one table with daily
 * partitions.
 */
const DETACHED_PER_RUN_MAX = 400;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Creates upcoming partitions and drops expired ones. The job uses the machine's time, because ids contain this time.
 * Safe to repeat and to run in several processes.
 */
export class RollPartitionsJob implements Job {
  readonly name = 'roll-partitions';

  constructor(
    private readonly database: Pick<MaintenanceDatabase, 'query'>,
    private readonly clock: Clock = new SystemClock(),
    /** Returns false while rows in expired partitions are still needed. */
    private readonly mayDrop: () => Promise<boolean> = async () => true,
  ) {}

  async runOnce(): Promise<void> {
    const now = this.clock.now();
    await this.database.query('select roll_partitions($1)', [now]);
    if (!(await this.mayDrop())) return;
    for (let count = 0; count < DETACHED_PER_RUN_MAX; count++) {
      if (!(await this.detachOne(now))) break;
    }
    // Runs after the parents' locks are released, because removing files takes time.
    await this.database.query('select drop_detached_partitions()');
  }

  /**
   * Detaches one expired partition. @returns false if there is none, or if other transactions hold the locks that this
   * needs; a later run then detaches it.
   */
  private async detachOne(now: Date): Promise<boolean> {
    try {
      const [{ detached }] = await this.database.query<{ detached: boolean }>(
        'select detach_old_partition($1) as detached',
        [now],
      );
      return detached;
    } catch (error) {
      if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) return false;
      throw error;
    }
  }
}
