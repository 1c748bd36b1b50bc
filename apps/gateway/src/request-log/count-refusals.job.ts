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
  private counted = new Map<string, CountedRefusals>();

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
  count(refusal: LogEntry): undefined {
    const { accountId, keyId, operation, version, status, outcome } = refusal;
    const kind = `${keyId} ${operation} ${version} ${status} ${outcome}`;
    const counted = this.counted.get(kind);
    if (counted) counted.requests++;
    else if (this.counted.size < KINDS_MAX) {
      this.counted.set(kind, {
        accountId,
        keyId,
        operation,
        version,
        status,
        outcome,
        requests: 1,
      });
    }
  }

  /** Writes and resets the counts. Counts that cannot be written are dropped, which is logged. */
  async runOnce(): Promise<void> {
    const counted = [...this.counted.values()];
    this.rows = new Map();
    this.counted = new Map();
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
