import { Injectable } from '@nestjs/common';
import type { AskedPage, InvoiceAnswer, InvoiceState, InvoicesAnswer } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';
import { DAY_MS, NotFound, isId } from '#libs/platform';
import { AccountStatesService } from '../account-states/account-states.service.js';
import { MailsService } from '../mails/mails.service.js';
import { receiptMail } from '../mails/receipt-mail.js';
import { type Invoice, invoiceNumber } from './invoice.entity.js';
import { toInvoiceAnswer } from './invoice-answer.js';
import { InvoiceNotPrinted } from './invoices.errors.js';
import { type InvoiceFilter, InvoicesRepository } from './invoices.repository.js';
import { RevisionsRepository } from './revisions.repository.js';
import { RevisionsService } from './revisions.service.js';

/** The requested period of issue: `YYYY-MM-DD`, UTC, both days included. */
export interface AskedInvoices {
  from?: string;
  to?: string;
  state?: InvoiceState;
}

function filterOf({ from, to, state }: AskedInvoices): InvoiceFilter {
  return {
    since: from === undefined ? undefined : new Date(from),
    before: to === undefined ? undefined : new Date(Date.parse(to) + DAY_MS),
    state,
  };
}

@Injectable()
export class OwnInvoicesService {
  constructor(
    private readonly database: Database,
    private readonly invoices: InvoicesRepository,
    private readonly latest: RevisionsRepository,
    private readonly revisions: RevisionsService,
    private readonly mails: MailsService,
    private readonly accounts: AccountStatesService,
  ) {}

  async list(
    accountId: string,
    asked: AskedPage,
    filter: AskedInvoices = {},
  ): Promise<InvoicesAnswer> {
    return this.database.transaction(async (transaction) => {
      const page = { after: asked.after, limit: asked.limit, filter: filterOf(filter) };
      const rows = await this.invoices.list(transaction, accountId, page);
      const { items, paging } = asked.cut(rows, ({ id }) => [id]);
      return { invoices: await this.answersOf(transaction, accountId, items), paging };
    });
  }

  async newest(
    accountId: string,
    asked: AskedInvoices,
    limit: number,
  ): Promise<readonly InvoiceAnswer[]> {
    return this.database.transaction(async (transaction) => {
      const page = { limit, filter: filterOf(asked) };
      const rows = await this.invoices.list(transaction, accountId, page);
      return this.answersOf(transaction, accountId, rows);
    });
  }

  /**
   * Returns the PDF. @throws NotFound, including for another account's invoice (S85); InvoiceNotPrinted shortly after
   * the payment; InvoiceDataDestroyed after the retention period.
   */
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
   * Prints the invoice again under the same number if the billing details have changed since it was printed.
   * @throws NotFound; ServiceUnavailable while the account service is down; AccountDeletedHere, TooManyRevisions,
   * InvoiceDataDestroyed.
   */
  async regenerate(accountId: string, id: string): Promise<InvoiceAnswer> {
    if (!isId(id)) throw new NotFound();
    await this.database.transaction(async (transaction) => {
      await this.accounts.checkActive(transaction, accountId);
      if (!(await this.invoices.find(transaction, accountId, id))) throw new NotFound();
    });
    const contact = await this.mails.contactOf(accountId);
    if (!contact) throw new NotFound();
    const printed = await this.revisions.print(accountId, id, contact);
    return this.database.transaction(async (transaction) => {
      const { invoice } = await this.revisions.keep(transaction, printed);
      const [answer] = await this.answersOf(transaction, accountId, [invoice]);
      return answer;
    });
  }

  /**
   * Sends the e-mail about an invoice or note again.
   * @throws NotFound; ServiceUnavailable while the account service is down.
   */
  async resendReceipt(accountId: string, asked: string): Promise<{ number: string }> {
    const contact = await this.mails.contactOf(accountId);
    return this.database.transaction(async (transaction) => {
      const invoice = await this.invoices.findByNumber(transaction, accountId, asked);
      if (!invoice || !contact) throw new NotFound();
      const number = invoiceNumber(invoice);
      await this.mails.sendAgain(transaction, contact, receiptMail(invoice, number));
      return { number };
    });
  }

  private async answersOf(
    transaction: Transaction,
    accountId: string,
    invoices: readonly Invoice[],
  ): Promise<InvoiceAnswer[]> {
    const ids = invoices.map(({ id }) => id);
    const latest = await this.latest.listLatest(transaction, accountId, ids);
    const payments = invoices.map(({ paymentId }) => paymentId);
    const noted = await this.invoices.notedOf(transaction, accountId, payments);
    return invoices.map((invoice) =>
      toInvoiceAnswer(invoice, {
        latest: latest.get(invoice.id),
        notedMicros: noted.get(invoice.paymentId) ?? 0n,
      }),
    );
  }
}
