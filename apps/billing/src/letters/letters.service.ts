import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { type MailTemplate, MailOutbox, composeMail } from '#libs/mail';
import { Clock } from '#libs/platform';
import { BillingConfig } from '../billing.config.js';
import { type Contact, ContactsService } from './contacts.service.js';
import { LettersRepository } from './letters.repository.js';

/** Makes a letter for somebody: his first name, and the origin of the dashboard. */
export type LetterTemplate = (firstName: string, dashboardUrl: string) => MailTemplate;

/** Letters about money, each written once. */
@Injectable()
export class LettersService {
  constructor(
    private readonly contacts: ContactsService,
    private readonly written: LettersRepository,
    private readonly mails: MailOutbox,
    private readonly config: BillingConfig,
    private readonly clock: Clock,
  ) {}

  /** @returns null for an account that is erased. @throws ServiceUnavailable. */
  async contactOf(accountId: string): Promise<Contact | null> {
    return this.contacts.find(accountId);
  }

  /** @param about what it is about; a second letter about that is not written. */
  async write(
    transaction: Transaction,
    { accountId, email, firstName }: Contact,
    { about, letter }: { about: string; letter: LetterTemplate },
  ): Promise<void> {
    const isNew = await this.written.insert(transaction, accountId, {
      about,
      at: this.clock.now(),
    });
    if (!isNew) return;
    const mail = composeMail(email, letter(firstName, this.config.dashboardUrl));
    await this.mails.add(transaction, accountId, mail);
  }
}
