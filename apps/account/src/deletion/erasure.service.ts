import { Injectable } from '@nestjs/common';
import { Clock, counted, crashPoint } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditService } from '../audit/audit.service.js';
import { PeopleService } from '../people/people.service.js';
import { ErasedAccountsService } from './erased-accounts.service.js';
import { ErasedDataService } from './erased-data.service.js';

const BATCH = 100;

/** Erases the accounts that were not restored in time, and those that a restored database contains again. */
@Injectable()
export class ErasureService {
  constructor(
    private readonly erased: ErasedAccountsService,
    private readonly accounts: AccountsService,
    private readonly people: PeopleService,
    private readonly data: ErasedDataService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /**
   * Erases due accounts, at most 100, each in its own transaction and under the account's lock, so that an erasure and
   * a restore never run together.
   * @throws AggregateError after all accounts have been tried, if some failed.
   */
  async eraseDue(): Promise<void> {
    await this.eraseEach(await this.erased.listDue(this.clock.now(), BATCH), false);
  }

  /**
   * Erases the accounts that had been erased before the database was restored, whatever their state. @throws if the
   * list of these accounts cannot be read; AggregateError, as in `eraseDue`.
   */
  async eraseRestored(): Promise<void> {
    await this.eraseEach(await this.erased.listRestored(), true);
  }

  private async eraseEach(accountIds: readonly string[], isAgain: boolean): Promise<void> {
    const faults: unknown[] = [];
    for (const accountId of accountIds) {
      await this.erase(accountId, isAgain).catch((error: unknown) => faults.push(error));
    }
    if (faults.length > 0)
      throw new AggregateError(faults, `${counted(faults.length, 'account')} not erased`);
  }

  /**
   * Erases all personal data of an account; ids, states and key hashes stay (S118, S119). Does nothing if the account
   * is already erased or, unless `isAgain`, can still be restored.
   */
  private async erase(accountId: string, isAgain: boolean): Promise<void> {
    await this.accounts.transaction(async (transaction) => {
      if (!(await this.accounts.erase(transaction, accountId, isAgain))) return;
      await this.data.remove(transaction, accountId);
      await this.people.erase(transaction, accountId);
      await this.audit.record(transaction, {
        by: 'system',
        accountId,
        action: 'account.erased',
        object: `account:${accountId}`,
      });
      if (!isAgain) await this.erased.add(accountId);
      crashPoint('erasure.before-commit');
    });
  }
}
