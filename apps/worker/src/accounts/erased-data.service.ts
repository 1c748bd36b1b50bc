import { Injectable } from '@nestjs/common';
import { IdempotencyService, type Transaction } from '#libs/database';
import { MailOutbox } from '#libs/mail';
import { JobsService } from '../jobs/jobs.service.js';
import { MonitorsService } from '../monitors/monitors.service.js';
import { UploadsService } from '../uploads/uploads.service.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';

/** Deletes the data of an account that is erased. */
@Injectable()
export class ErasedDataService {
  constructor(
    private readonly jobs: JobsService,
    private readonly webhooks: WebhooksService,
    private readonly uploads: UploadsService,
    private readonly monitors: MonitorsService,
    private readonly idempotency: IdempotencyService,
    private readonly mails: MailOutbox,
  ) {}

  async remove(transaction: Transaction, accountId: string): Promise<void> {
    await this.jobs.erase(transaction, accountId);
    await this.webhooks.erase(transaction, accountId);
    await this.uploads.erase(transaction, accountId);
    await this.monitors.erase(transaction, accountId);
    await this.idempotency.forget(transaction, accountId);
    await this.mails.forget(transaction, accountId);
  }
}
