import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { MailOutbox } from '#libs/mail';
import { JobsService } from '../jobs/jobs.service.js';
import { MonitorsService } from '../monitors/monitors.service.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { UploadsService } from '../uploads/uploads.service.js';
import { AccountStatesRepository } from './account-states.repository.js';

@Injectable()
export class AccountsService {
  constructor(
    private readonly states: AccountStatesRepository,
    private readonly mails: MailOutbox,
    private readonly jobs: JobsService,
    private readonly webhooks: WebhooksService,
    private readonly uploads: UploadsService,
    private readonly monitors: MonitorsService,
  ) {}

  async remove(transaction: Transaction, accountId: string): Promise<void> {
    await this.states.putState(transaction, accountId, 'deleted');
    await this.jobs.stopAll(transaction, accountId);
  }

  async restore(transaction: Transaction, accountId: string): Promise<void> {
    await this.states.putState(transaction, accountId, 'active');
  }

  async changeSuspension(
    transaction: Transaction,
    accountId: string,
    isSuspended: boolean,
  ): Promise<void> {
    await this.states.putSuspension(transaction, accountId, isSuspended);
  }

  async erase(transaction: Transaction, accountId: string): Promise<void> {
    await this.states.putState(transaction, accountId, 'erased');
    await this.jobs.erase(transaction, accountId);
    await this.webhooks.erase(transaction, accountId);
    await this.uploads.erase(transaction, accountId);
    await this.monitors.erase(transaction, accountId);
    await this.mails.forget(transaction, accountId);
  }
}
