import { Injectable } from '@nestjs/common';
import { Logger } from '#libs/platform';
import { AuditorDatabase } from './auditor-database.js';
import { checkInvariants } from './check-invariants.js';

const ROWS_LOGGED_MAX = 5;

/** Checks the invariants over and over; each violation is an alarm, the line an operator acts on. */
@Injectable()
export class AuditJob {
  readonly name = 'audit';

  constructor(
    private readonly database: AuditorDatabase,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    for (const { id, rows } of await checkInvariants(this.database)) {
      this.logger.error(`invariant ${id} does not hold`, {
        count: rows.length,
        rows: rows.slice(0, ROWS_LOGGED_MAX),
      });
    }
  }
}
