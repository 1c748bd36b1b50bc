import { Injectable } from '@nestjs/common';
import { AccountClient, type BillingContact } from '#libs/contracts';
import { Database } from '#libs/database';
import { Problem } from '#libs/platform';
import { AccountStatesService } from '../account-states/account-states.service.js';

export interface Contact extends BillingContact {
  accountId: string;
}

/** Fetches names and addresses from the account service when they are needed, because billing does not store them. */
@Injectable()
export class ContactsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountStatesService,
    private readonly account: AccountClient,
  ) {}

  /** @returns null for an erased or unknown account. @throws ServiceUnavailable. */
  async find(accountId: string): Promise<Contact | null> {
    const isErased = await this.database.transaction((transaction) =>
      this.accounts.isErased(transaction, accountId),
    );
    if (isErased) return null;
    try {
      return { accountId, ...(await this.account.billingContact(accountId)) };
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return null;
      throw error;
    }
  }
}
