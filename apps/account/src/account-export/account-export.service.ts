import { Injectable, type StreamableFile } from '@nestjs/common';
import { AccountExports, Database, type DecryptColumn } from '#libs/database';
import { HOUR_MS } from '#libs/platform';
import { AuditService } from '../audit/audit.service.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import { EXPORTED_TABLES } from './exported-tables.js';

const LIMIT: AttemptLimit = { name: 'export account', max: 5, windowMs: HOUR_MS };

/** Exports this service's data about an account to the account's owner (GDPR, articles 15 and 20). */
@Injectable()
export class ExportService {
  private readonly exports: AccountExports;

  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly throttling: ThrottlingService,
    personalData: PersonalDataService,
  ) {
    const decrypt: DecryptColumn = (encrypted, _row, accountId) =>
      database.transaction((transaction) =>
        personalData.decrypt(transaction, accountId, encrypted),
      );
    this.exports = new AccountExports(database, EXPORTED_TABLES, decrypt);
  }

  /**
   * Exports the account of a session. The audit log records the export before the first row is sent. @throws
   * TooManyAttempts.
   */
  async begin(owner: ActiveSession): Promise<StreamableFile> {
    const { accountId } = owner;
    await this.throttling.count(LIMIT, accountId, owner);
    await this.database.transaction((transaction) =>
      this.audit.record(transaction, {
        by: owner,
        action: 'account.exported',
        object: `account:${accountId}`,
      }),
    );
    return this.exports.file(accountId);
  }
}
