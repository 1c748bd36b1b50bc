import { Injectable } from '@nestjs/common';
import type { AskedPage, InvoiceAnswer, InvoicesAnswer } from '#libs/contracts';
import { Database } from '#libs/database';
import { NotFound, isId } from '#libs/platform';
import { AccountStatesService } from '../accounts/account-states.service.js';
import { MailsService } from '../mails/mails.service.js';
import { receiptMail } from '../mails/receipt-mail.js';
import { invoiceNumber } from './invoice.entity.js';
import { toInvoiceAnswer } from './invoice-answer.js';
import { InvoiceNotPrinted } from './invoices.errors.js';
import { InvoicesRepository } from './invoices.repository.js';
import { RevisionsRepository } from './revisions.repository.js';
import { RevisionsService, hashOf } from './revisions.service.js';

/** An account's invoices, as it sees them. */
@Injectable()
export class OwnInvoicesService {
  // oxlint-disable-next-line eslint/max-params -- a constructor may have six
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesRepository,
    private readonly latest: RevisionsRepository,
    private readonly revisions: RevisionsService,
    private readonly mails: MailsService,
    private readonly accounts: AccountStatesService,
  ) {}

  async list(accountId: string, asked: AskedPage): Promise<InvoicesAnswer> {
    return this.database.transaction(async (transaction) => {
      const rows = await this.invoices.list(transaction, accountId, asked);
      const { items, paging } = asked.cut(rows, ({ id }) => [id]);
      const ids = items.map(({ id }) => id);
      const latest = await this.latest.listLatest(transaction, accountId, ids);
      const invoices = items.map((row) => toInvoiceAnswer(row, latest.get(row.id)));
      return { invoices, paging };
    });
  }

  /** @throws NotFound also for one of another account (S85); InvoiceNotPrinted in the first moments. */
  async pdf(accountId: string, id: string): Promise<{ name: string; pdf: Buffer }> {
    if (!isId(id)) throw new NotFound();
    return this.database.transaction(async (transaction) => {
      const invoice = await this.invoices.find(transaction, accountId, id);
      if (!invoice) throw new NotFound();
      const printed = await this.revisions.open(transaction, invoice);
      if (!printed) throw new InvoiceNotPrinted();
      const suffix = printed.revision === 1 ? '' : `-${printed.revision}`;
      return { name: `${invoiceNumber(invoice)}${suffix}.pdf`, pdf: printed.pdf };
    });
  }

  /**
   * Prints it again under its number, when the billing details have changed since.
   * @throws NotFound; ServiceUnavailable while account is unavailable; AccountDeletedHere.
   */
  async regenerate(accountId: string, id: string): Promise<InvoiceAnswer> {
    if (!isId(id)) throw new NotFound();
    await this.database.transaction((transaction) =>
      this.accounts.checkActive(transaction, accountId),
    );
    const contact = await this.mails.contactOf(accountId);
    if (!contact) throw new NotFound();
    const printed = await this.revisions.print(accountId, id, contact);
    const kept = await this.database.transaction((transaction) =>
      this.revisions.keep(transaction, printed),
    );
    return toInvoiceAnswer(kept.invoice, { revision: kept.revision, sha256: hashOf(kept.pdf) });
  }

  /** Sends the mail about an invoice or note once more. @throws NotFound; ServiceUnavailable while account is. */
  async resendReceipt(accountId: string, number: string): Promise<{ number: string }> {
    const contact = await this.mails.contactOf(accountId);
    await this.database.transaction(async (transaction) => {
      const invoice = await this.invoices.findByNumber(transaction, accountId, number);
      if (!invoice || !contact) throw new NotFound();
      await this.mails.sendAgain(transaction, contact, receiptMail(invoice, number));
    });
    return { number };
  }
}
