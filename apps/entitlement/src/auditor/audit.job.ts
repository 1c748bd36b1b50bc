import { Injectable } from '@nestjs/common';
import { DAY_MS, Logger, MINUTE_MS, monotonicMs } from '#libs/platform';
import { AuditorDatabase } from './auditor-database.js';
import { checkInvariants } from './check-invariants.js';

const ROWS_LOGGED_MAX = 5;
/** Longer than two rounds and the longest transaction, so that nothing falls between two windows. */
const WINDOW_MS = 15 * MINUTE_MS;
const FULL_INTERVAL_MS = DAY_MS;

/**
 * Checks the invariants over and over; each violation is an alarm, the line an operator acts on. A round
 * looks at what moved since the last ones; the first round, one a day, and one after a gap at everything.
 */
@Injectable()
export class AuditJob {
  readonly name = 'audit';
  /**
   * Rows by the invariant they violate. A look at a window adds to what the last look at everything
   * found: only the next of these may take an alarm back.
   */
  violations: ReadonlyMap<string, number> = new Map();
  private lastFullMs = -Infinity;
  private lastMs = -Infinity;
  private checkedAtMs = monotonicMs();

  constructor(
    private readonly database: AuditorDatabase,
    private readonly logger: Logger,
  ) {}

  /** Since the last run, or since the start before the first. */
  get ageMs(): number {
    return monotonicMs() - this.checkedAtMs;
  }

  async runOnce(nowMs = monotonicMs()): Promise<void> {
    const isGap = nowMs - this.lastMs > WINDOW_MS / 2;
    const isFull = isGap || nowMs - this.lastFullMs >= FULL_INTERVAL_MS;
    const violated = await checkInvariants(this.database, isFull ? undefined : WINDOW_MS);
    const rowsOf = violated.map(({ id, rows }): [string, number] => [id, rows.length]);
    this.violations = new Map(isFull ? rowsOf : [...this.violations, ...rowsOf]);
    this.checkedAtMs = monotonicMs();
    this.lastMs = nowMs;
    if (isFull) this.lastFullMs = nowMs;
    for (const { id, rows } of violated) {
      this.logger.error(`invariant ${id} does not hold`, {
        count: rows.length,
        rows: rows.slice(0, ROWS_LOGGED_MAX),
      });
    }
  }
}
