import { Injectable } from '@nestjs/common';
import { Logger, monotonicMs } from '#libs/platform';
import { AuditorDatabase } from './auditor-database.js';
import { checkInvariants } from './check-invariants.js';

const ROWS_LOGGED_MAX = 5;

/** Checks the invariants over and over; each violation is an alarm, the line an operator acts on. */
@Injectable()
export class AuditJob {
  readonly name = 'audit';
  /** Rows by the invariant they violate, as of the last run. */
  violations: ReadonlyMap<string, number> = new Map();
  private checkedAtMs = monotonicMs();

  constructor(
    private readonly database: AuditorDatabase,
    private readonly logger: Logger,
  ) {}

  /** Since the last run, or since the start before the first. */
  get ageMs(): number {
    return monotonicMs() - this.checkedAtMs;
  }

  async runOnce(): Promise<void> {
    const violated = await checkInvariants(this.database);
    this.violations = new Map(violated.map(({ id, rows }) => [id, rows.length]));
    this.checkedAtMs = monotonicMs();
    for (const { id, rows } of violated) {
      this.logger.error(`invariant ${id} does not hold`, {
        count: rows.length,
        rows: rows.slice(0, ROWS_LOGGED_MAX),
      });
    }
  }
}
