import { Injectable } from '@nestjs/common';
import type {
  BillingContact,
  BillingDetailsAnswer,
  PutBillingDetailsRequest,
} from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Clock, InvalidRequest } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditService } from '../audit/audit.service.js';
import { PeopleService } from '../people/people.service.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { BillingDetailsRepository } from './billing-details.repository.js';
import { plainTaxId } from './tax-id.js';

/** Manages the recipient's details for invoices. The details are encrypted at rest. */
@Injectable()
export class BillingDetailsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly billingDetails: BillingDetailsRepository,
    private readonly personalData: PersonalDataService,
    private readonly people: PeopleService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  async get(accountId: string): Promise<BillingDetailsAnswer> {
    return this.accounts.transaction(async (transaction) => ({
      details: await this.find(transaction, accountId),
    }));
  }

  /** Replaces all details. @throws InvalidRequest for a tax id in the wrong format; AccountIsDeleted, NotFound. */
  async put(
    owner: ActiveSession,
    request: PutBillingDetailsRequest,
  ): Promise<BillingDetailsAnswer> {
    const { accountId } = owner;
    const details = { ...request, ...this.taxIdOf(request) };
    return this.accounts.runCommand(accountId, {}, async (transaction) => {
      const before = await this.find(transaction, accountId);
      await this.billingDetails.put(transaction, accountId, {
        details: await this.personalData.encrypt(transaction, accountId, details),
        updatedAt: this.clock.now(),
      });
      await this.audit.record(transaction, {
        by: owner,
        action: 'billing-details.changed',
        object: `account:${accountId}`,
        before: before ?? undefined,
        after: details,
      });
      return { details };
    });
  }

  /**
   * Returns the owner's name and e-mail address and the billing details (null if there are none). The audit log records
   * each read (S117).
   * @throws NotFound for an unknown or erased account.
   */
  async getContact(accountId: string): Promise<BillingContact> {
    return this.accounts.transaction(async (transaction) => {
      await this.accounts.lock(transaction, accountId);
      const owner = await this.people.getOwner(transaction, accountId);
      const details = await this.find(transaction, accountId);
      await this.audit.record(transaction, {
        by: 'system',
        accountId,
        action: 'billing-details.read',
        object: `account:${accountId}`,
      });
      return { firstName: owner.details.firstName, email: owner.details.address, details };
    });
  }

  async delete(transaction: Transaction, accountId: string): Promise<void> {
    await this.billingDetails.delete(transaction, accountId);
  }

  private async find(
    transaction: Transaction,
    accountId: string,
  ): Promise<PutBillingDetailsRequest | null> {
    const row = await this.billingDetails.find(transaction, accountId);
    if (!row) return null;
    const details = await this.personalData.decrypt<PutBillingDetailsRequest>(
      transaction,
      accountId,
      row.details,
    );
    // Earlier releases stored null for absent members. Billing would take a null for a tax id and could not print it.
    const given = Object.entries(details).filter(([, value]) => value !== null);
    return Object.fromEntries(given) as unknown as PutBillingDetailsRequest;
  }

  private taxIdOf({ country, tax_id }: PutBillingDetailsRequest): { tax_id?: string } {
    if (!tax_id) return {};
    const plain = plainTaxId(country, tax_id);
    if (plain) return { tax_id: plain };
    const name = new Intl.DisplayNames('en', { type: 'region' }).of(country) ?? country;
    const message = `does not have the format of a tax id of ${name}`;
    throw new InvalidRequest([{ field: 'tax_id', message }]);
  }
}
