import { Injectable } from '@nestjs/common';
import { InvoiceIssued } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { Outbox } from '#libs/messaging';
import { Logger } from '#libs/platform';
import { type Work, WorkQueue, WorkRunner } from '#libs/work';
import { MailsService } from '../mails/mails.service.js';
import { receiptMail } from '../mails/receipt-mail.js';
import { type Invoice, invoiceNumber } from './invoice.entity.js';
import { RevisionsService } from './revisions.service.js';

interface PrintWork {
  accountId: string;
  invoiceId: string;
}

/**
 * Prints each new invoice with its buyer's current details and sends the receipt, in one transaction. While the account
 * service is unavailable, only printing waits, not payments.
 */
@Injectable()
export class PrintInvoicesJob extends WorkRunner<PrintWork> {
  constructor(
    private readonly database: Database,
    private readonly revisions: RevisionsService,
    private readonly mails: MailsService,
    private readonly outbox: Outbox,
    logger: Logger,
  ) {
    const queue = new WorkQueue<PrintWork>({ name: 'print-invoices' });
    // Printing blocks the event loop, so invoices are printed one at a time, and callbacks are handled in between.
    super({ queue, database, logger, concurrency: 1 });
  }

  async add(
    transaction: Transaction,
    { accountId, id: invoiceId }: Pick<Invoice, 'accountId' | 'id'>,
  ): Promise<void> {
    const payload = { accountId, invoiceId };
    await this.queue.add(transaction, { name: invoiceId, payload, accountId });
  }

  protected override async handle(work: Work<PrintWork>): Promise<void> {
    const { accountId, invoiceId } = work.payload;
    const contact = await this.mails.contactOf(accountId);
    const printed = await this.revisions.print(accountId, invoiceId, contact);
    await this.database.transaction(async (transaction) => {
      const { invoice, revision } = await this.revisions.keep(transaction, printed);
      const aggregate = `invoice:${invoiceId}`;
      const lock = await this.outbox.lock(transaction, { key: accountId, aggregate });
      await this.outbox.add(transaction, lock, InvoiceIssued, {
        invoiceId,
        kind: invoice.kind,
        number: invoiceNumber(invoice),
        revision,
      });
      if (contact) {
        const mail = receiptMail(invoice, invoiceNumber(invoice));
        await this.mails.send(transaction, contact, { about: `invoice:${invoice.id}`, mail });
      }
      await work.finish(transaction);
    });
  }
}
