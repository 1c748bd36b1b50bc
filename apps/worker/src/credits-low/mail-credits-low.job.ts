import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { MailOutbox } from '#libs/mail';
import { Logger } from '#libs/platform';
import { type Work, WorkRunner } from '#libs/work';
import { CreditsLowMailsService } from './credits-low-mails.service.js';
import { CreditsLowQueue, type CreditsLowWork } from './credits-low-queue.js';

const AT_ONCE = 4;

/** E-mails the owner of an account whose credits are running out, once per event. */
@Injectable()
export class MailCreditsLowJob extends WorkRunner<CreditsLowWork> {
  constructor(
    private readonly database: Database,
    queue: CreditsLowQueue,
    private readonly creditsLow: CreditsLowMailsService,
    private readonly mails: MailOutbox,
    logger: Logger,
  ) {
    super({ queue, database, logger, concurrency: AT_ONCE });
  }

  protected async handle(work: Work<CreditsLowWork>): Promise<void> {
    const accountId = work.accountId!;
    const mail = await this.creditsLow.compose(accountId, work.payload);
    await this.database.transaction(async (transaction) => {
      if (mail) await this.mails.add(transaction, accountId, mail);
      await work.finish(transaction);
    });
  }
}
