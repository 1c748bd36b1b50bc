import { Injectable } from '@nestjs/common';
import { Database, type Transaction, type WorkItem, WorkQueue } from '#libs/database';
import { Clock, type Job, Logger } from '#libs/platform';
import { MailsService } from '../mails/mails.service.js';
import { receiptMail } from '../mails/receipt-mail.js';
import { type Invoice, invoiceNumber } from './invoice.entity.js';
import { RevisionsService } from './revisions.service.js';

interface PrintWork {
  accountId: string;
  invoiceId: string;
}

/**
 * Prints each new invoice with the details its buyer has at that moment, and sends the receipt, in one transaction.
 * Only printing waits while account is unavailable; money never does.
 */
@Injectable()
export class PrintInvoicesJob implements Job {
  readonly name = 'print-invoices';
  private readonly work: WorkQueue<PrintWork>;

  constructor(
    private readonly database: Database,
    private readonly revisions: RevisionsService,
    private readonly mails: MailsService,
    clock: Clock,
    logger: Logger,
  ) {
    const handle = (item: WorkItem<PrintWork>) => this.print(item);
    // Printing keeps the process busy: one at a time leaves room for callbacks.
    const options = { name: 'print-invoices', database, clock, logger, handle, concurrency: 1 };
    this.work = new WorkQueue(options);
  }

  async add(transaction: Transaction, { accountId, id: invoiceId }: Invoice): Promise<void> {
    await this.work.add(transaction, invoiceId, { accountId, invoiceId });
  }

  async runOnce(): Promise<void> {
    await this.work.runOnce();
  }

  private async print(item: WorkItem<PrintWork>): Promise<void> {
    const { accountId, invoiceId } = item.payload;
    const contact = await this.mails.contactOf(accountId);
    const printed = await this.revisions.print(accountId, invoiceId, contact);
    await this.database.transaction(async (transaction) => {
      const { invoice } = await this.revisions.keep(transaction, printed);
      if (contact) {
        const mail = receiptMail(invoice, invoiceNumber(invoice));
        await this.mails.send(transaction, contact, { about: `invoice:${invoice.id}`, mail });
      }
      await this.work.finish(transaction, item);
    });
  }
}
