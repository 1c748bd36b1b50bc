import type { IncomingMessage } from 'node:http';
import type { BillingContact } from '#libs/contracts';
import { JsonServer } from './json-server.js';

/** A stand-in for the account service: provides billing and the worker with the recipients of invoices and e-mails. */
export class AccountContacts extends JsonServer {
  private readonly contacts = new Map<string, BillingContact>();

  set(accountId: string, contact: Partial<BillingContact>): void {
    this.contacts.set(accountId, { ...this.contactOf(accountId), ...contact });
  }

  contactOf(accountId: string): BillingContact {
    const usual = { firstName: 'Ada', email: `${accountId}@payer.example`, details: null };
    return this.contacts.get(accountId) ?? usual;
  }

  protected override answer({ headers }: IncomingMessage): object {
    return this.contactOf(headers['x-account-id'] as string);
  }
}
