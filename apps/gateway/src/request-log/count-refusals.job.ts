import type { Clock, Job, Logger } from '#libs/platform';
import type { LogEntry } from './log-line.js';
import type { CountedRefusals, RequestLogRepository } from './request-log.repository.js';

/** Refusals of one key that become rows between two runs; further ones are counted together (S122). */
const ROWS_OF_KEY = 20;
/** Keys, and kinds of refusals, that are told apart between two runs; what is beyond is not counted. */
const KEYS_MAX = 50_000;
const KINDS_MAX = 10_000;

/**
 * Keeps refusals from filling the disk: a client that goes on after 429 makes one row a minute for each kind of
 * refusal, which says how many there were. A killed process loses the counts of its last minute.
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

  /** @returns true for a refusal that is to be logged as a row. */
  isRow(keyId: string): boolean {
    const rows = this.rows.get(keyId) ?? 0;
    if (rows >= ROWS_OF_KEY || (rows === 0 && this.rows.size >= KEYS_MAX)) return false;
    this.rows.set(keyId, rows + 1);
    return true;
  }

  /** Counts a refusal that is no row of its own. */
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

  /** Writes what was counted and begins anew. Counts that cannot be written are dropped, and the log says so. */
  async runOnce(): Promise<void> {
    const counted = [...this.counted.values()];
    this.rows = new Map();
    this.counted = new Map();
    if (counted.length === 0) return;
    try {
      await this.log.insertCounted(counted, this.clock.now());
    } catch (error) {
      this.logger.warn('counts of refused requests could not be written', error);
    }
  }

  async end(): Promise<void> {
    await this.runOnce();
  }
}
