import { Injectable } from '@nestjs/common';
import { Clock, crashPoint } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditService } from '../audit/audit.service.js';
import { PeopleService } from '../people/people.service.js';
import { ErasedDataService } from './erased-data.service.js';
import { ErasureMaintenanceRepository } from './erasure.repository.js';

const BATCH = 100;

/** Erases the accounts that were not restored in time. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly due: ErasureMaintenanceRepository,
    private readonly accounts: AccountsService,
    private readonly people: PeopleService,
    private readonly data: ErasedDataService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Erases each due account in its own transaction, under the account's lock, so that an erasure and a restore never
   * run together.
   * @throws AggregateError after all accounts have been tried, if some failed.
   */
  async eraseDue(): Promise<void> {
    const faults: unknown[] = [];
    for (const accountId of await this.due.listDue(this.clock.now(), BATCH)) {
      await this.erase(accountId).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0) throw new AggregateError(faults, `${faults.length} accounts not erased`);
  }

  /** Erases all personal data of an account; ids, states and key hashes stay (S118, S119). */
  private async erase(accountId: string): Promise<void> {
    await this.accounts.transaction(async (transaction) => {
      if (!(await this.accounts.erase(transaction, accountId))) return;
      await this.data.remove(transaction, accountId);
      await this.people.erase(transaction, accountId);
      await this.audit.record(transaction, {
        by: 'system',
        accountId,
        action: 'account.erased',
        object: `account:${accountId}`,
      });
      crashPoint('erasure.before-commit');
    });
  }
}
