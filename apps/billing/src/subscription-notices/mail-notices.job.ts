import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job, Logger } from '#libs/platform';
import { MailsService } from '../mails/mails.service.js';
import { RenewalTaxService } from '../subscription-tax/renewal-tax.service.js';
import { type DueNotice, DueNoticesMaintenanceRepository } from './due-notices.repository.js';
import { subscriptionNotice } from './subscription-notice.js';

const NOTICES_MAX = 200;

@Injectable()
export class MailNoticesJob implements Job {
  readonly name = 'mail-notices';

  constructor(
    private readonly database: Database,
    private readonly dueNotices: DueNoticesMaintenanceRepository,
    private readonly mails: MailsService,
    private readonly tax: RenewalTaxService,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async runOnce(): Promise<void> {
    for (const due of await this.dueNotices.list(this.clock.now(), NOTICES_MAX)) {
      // This notice waits for the next run, for example because the account service did not answer. The others
      // continue.
      await this.send(due).catch((error: unknown) =>
        this.logger.warn('a notice could not be sent yet', { about: due.about, err: error }),
      );
    }
  }

  private async send(due: DueNotice): Promise<void> {
    const contact = await this.mails.contactOf(due.accountId);
    if (!contact) return;
    const taxPpm = due.isTaxDecided ? due.taxPpm : await this.tax.expected(due, this.clock.now());
    const mail = subscriptionNotice({ ...due, taxPpm });
    await this.database.transaction((transaction) =>
      this.mails.send(transaction, contact, { about: due.about, mail }),
    );
  }
}
