import type { Clock, Job, Logger } from '#libs/platform';
import type { LogEntry } from './log-line.js';
import type { CountedRefusals, RequestLogRepository } from './request-log.repository.js';

/**
 * Maximum number of rejections of a key that become rows between two runs. Further ones are only
 * counted (S122).
 */
const ROWS_OF_KEY = 20;
/**
 * Maximum number of keys whose rejections become rows, and of kinds of rejections that are counted, between two runs.
 * Rejections of further keys are only counted, and those of further kinds are dropped.
 */
const KEYS_MAX = 50_000;
const KINDS_MAX = 10_000;

/**
 * Prevents rejections from filling the disk. Beyond the first rejections, a client that ignores 429 causes one row per
 * minute for each kind of rejection, with the number of rejections. A killed process loses the counts of its last
 * minute.
 */
export class CountRefusalsJob implements Job {
  readonly name = 'count-refusals';
  private rows = new Map<string, number>();
  /**
   * The counts by key. A key is rejected in few ways, so comparing its counts one by one takes less time than a map
   * with all parts in its key.
   */
  private counted = new Map<string, CountedRefusals[]>();
  private kinds = 0;

  constructor(
    private readonly log: Pick<RequestLogRepository, 'insertCounted'>,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Decides whether this rejection becomes a row of the log, and counts the row. */
  isRow(keyId: string): boolean {
    const rows = this.rows.get(keyId) ?? 0;
    if (rows >= ROWS_OF_KEY || (rows === 0 && this.rows.size >= KEYS_MAX)) return false;
    this.rows.set(keyId, rows + 1);
    return true;
  }

  /** Counts a rejection that does not become a row. While `KINDS_MAX` kinds are counted, other kinds are dropped. */
  count({ accountId, keyId, operation, version, status, outcome }: LogEntry): undefined {
    const ofKey = this.counted.get(keyId) ?? [];
    const counted = ofKey.find(
      (one) =>
        one.operation === operation &&
        one.version === version &&
        one.status === status &&
        one.outcome === outcome,
    );
    if (counted) counted.requests++;
    else if (this.kinds < KINDS_MAX) {
      this.kinds++;
      ofKey.push({ accountId, keyId, operation, version, status, outcome, requests: 1 });
      this.counted.set(keyId, ofKey);
    }
  }

  /** Writes and resets the counts. Counts that cannot be written are dropped, which is logged. */
  async runOnce(): Promise<void> {
    const counted = [...this.counted.values()].flat();
    this.rows = new Map();
    this.counted = new Map();
    this.kinds = 0;
    if (counted.length === 0) return;
    try {
      await this.log.insertCounted(counted, this.clock.now());
    } catch (error) {
      this.logger.warn('the counts of rejected requests could not be written', error);
    }
  }

  async end(): Promise<void> {
    await this.runOnce();
  }
}
