import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { type MailTemplate, MailOutbox, composeMail } from '#libs/mail';
import { Clock } from '#libs/platform';
import { BillingConfig } from '../billing.config.js';
import { type Contact, ContactsService } from '../contacts/contacts.service.js';
import { MailedNoticesRepository } from './mailed-notices.repository.js';

export type MailForPerson = (firstName: string, dashboardUrl: string) => MailTemplate;

@Injectable()
export class MailsService {
  constructor(
    private readonly contacts: ContactsService,
    private readonly mailed: MailedNoticesRepository,
    private readonly outbox: MailOutbox,
    private readonly config: BillingConfig,
    private readonly clock: Clock,
  ) {}

  /** @returns null for an erased or unknown account. @throws ServiceUnavailable. */
  async contactOf(accountId: string): Promise<Contact | null> {
    return this.contacts.find(accountId);
  }

  /** @param about identifies the occasion. No second e-mail is sent about it. */
  async send(
    transaction: Transaction,
    contact: Contact,
    { about, mail }: { about: string; mail: MailForPerson },
  ): Promise<void> {
    const isNew = await this.mailed.insert(transaction, contact.accountId, {
      about,
      at: this.clock.now(),
    });
    if (isNew) await this.sendAgain(transaction, contact, mail);
  }

  /** Sends the e-mail for an operator, even if it was sent before. */
  async sendAgain(
    transaction: Transaction,
    { accountId, email, firstName }: Contact,
    mail: MailForPerson,
  ): Promise<void> {
    const composed = composeMail(email, mail(firstName, this.config.dashboardUrl));
    await this.outbox.add(transaction, accountId, composed);
  }
}
