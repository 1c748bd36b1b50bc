import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { type MailTemplate, MailOutbox, composeMail } from '#libs/mail';
import { AccountConfig } from '../account.config.js';
import { PeopleService, type PersonDetails } from './people.service.js';

@Injectable()
export class OwnerMailService {
  constructor(
    private readonly people: PeopleService,
    private readonly mails: MailOutbox,
    private readonly config: AccountConfig,
  ) {}

  /**
   * Queues an e-mail to the account's owner.
   * @param compose composes the e-mail from the owner's first name and the dashboard's origin.
   */
  async send(
    transaction: Transaction,
    accountId: string,
    compose: (firstName: string, dashboardUrl: string) => MailTemplate,
  ): Promise<void> {
    const { details } = await this.people.getOwner(transaction, accountId);
    await this.sendTo(transaction, accountId, details, compose);
  }

  async sendTo(
    transaction: Transaction,
    accountId: string,
    { firstName, address }: PersonDetails,
    compose: (firstName: string, dashboardUrl: string) => MailTemplate,
  ): Promise<void> {
    const template = compose(firstName, this.config.dashboardUrl);
    await this.mails.add(transaction, accountId, composeMail(address, template));
  }

  /** Deletes unsent e-mails as part of the account's erasure. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.mails.forget(transaction, accountId);
  }
}
