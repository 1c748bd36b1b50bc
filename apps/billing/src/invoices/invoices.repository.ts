import { Injectable } from '@nestjs/common';
import type { InvoiceState } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import type { Micros } from '#libs/platform';
import type { Payment } from '../payment-records/payment.entity.js';
import { INVOICE_NUMBER, Invoice } from './invoice.entity.js';

export interface TaxDecision {
  isReverseCharge: boolean;
  /** The order, the subscription or the invoice for which the tax was decided. */
  subjectId: string;
}

/** The credit notes minus the debit notes. */
export interface NotedMoney {
  totalMicros: Micros;
  taxMicros: Micros;
}

export interface InvoiceFilter {
  since?: Date;
  before?: Date;
  state?: InvoiceState;
}

interface InvoicePage {
  after?: readonly string[];
  limit: number;
  filter?: InvoiceFilter;
}

const NOTED = `(select coalesce(sum(case note.kind when 'credit_note' then note.total_micros else -note.total_micros end), 0)
  from invoices note where note.account_id = invoice.account_id and note.payment_id = invoice.payment_id
  and note.kind <> 'invoice')`;
/** The part of the total that can be returned, because neither a coupon nor a balance paid it. */
const RETURNABLE = '(invoice.total_micros + least(invoice.carried_micros, 0))';
const IN_STATE: Readonly<Record<InvoiceState, string>> = {
  paid: `invoice.kind = 'invoice' and ${NOTED} = 0`,
  partly_returned: `invoice.kind = 'invoice' and ${NOTED} > 0 and ${NOTED} < ${RETURNABLE}`,
  returned: `invoice.kind = 'invoice' and ${NOTED} > 0 and ${NOTED} >= ${RETURNABLE}`,
  note: `invoice.kind <> 'invoice'`,
};

@Injectable()
export class InvoicesRepository {
  async insert(transaction: Transaction, invoice: Invoice): Promise<void> {
    await transaction.manager.insert(Invoice, invoice);
  }

  async find(transaction: Transaction, accountId: string, id: string): Promise<Invoice | null> {
    return transaction.manager.findOneBy(Invoice, { accountId, id });
  }

  /**
   * Finds an invoice or note by its number, in the format of `invoiceNumber`.
   * @returns null if the account has no such invoice, or the text has another format.
   */
  async findByNumber(
    transaction: Transaction,
    accountId: string,
    number: string,
  ): Promise<Invoice | null> {
    const [, series, digits] = INVOICE_NUMBER.exec(number) ?? [];
    if (!series) return null;
    return transaction.manager.findOneBy(Invoice, { accountId, series, number: Number(digits) });
  }

  async findOfPayment(
    transaction: Transaction,
    { accountId, id }: Payment,
  ): Promise<Invoice | null> {
    return transaction.manager.findOneBy(Invoice, { accountId, paymentId: id, kind: 'invoice' });
  }

  /**
   * Finds how the tax of a payment was decided: with its order, or before its renewal. A change keeps the decision for
   * the period in which it is made. That decision is found by the period's invoice, because the subscription may
   * already have the decision for the next period.
   * @returns undefined if the payment belongs to neither an order nor a subscription.
   */
  async findTaxDecision(
    transaction: Transaction,
    { accountId, id, orderId }: Payment,
  ): Promise<TaxDecision | undefined> {
    const rows = await transaction.query<TaxDecision>(
      `select is_reverse_charge as "isReverseCharge", id as "subjectId"
       from orders where account_id = $1 and id = $2
       union all
       select coalesce(i.is_reverse_charge, s.is_reverse_charge, o.is_reverse_charge),
         coalesce(i.id, case when s.is_reverse_charge is null then o.id else s.id end) from payment_lines l
       join subscriptions s on s.id = l.subscription_id join orders o on o.id = s.order_id
       left join lateral (
         select i.id, i.is_reverse_charge from payment_lines p
         join invoices i on i.account_id = p.account_id and i.payment_id = p.payment_id and i.kind = 'invoice'
         where l.is_change and not p.is_change and p.account_id = $1 and p.subscription_id = l.subscription_id
           and p.period_end = l.period_end and p.tax_ppm = l.tax_ppm
         order by i.id desc limit 1) i on true
       where $2::uuid is null and l.account_id = $1 and l.payment_id = $3 limit 1`,
      [accountId, orderId, id],
    );
    return rows.at(0);
  }

  async list(
    transaction: Transaction,
    accountId: string,
    { after, limit, filter = {} }: InvoicePage,
  ): Promise<Invoice[]> {
    const { since, before, state } = filter;
    const query = transaction.manager
      .createQueryBuilder(Invoice, 'invoice')
      .where('invoice.accountId = :accountId', { accountId })
      .orderBy('invoice.id', 'DESC')
      .limit(limit);
    if (after) query.andWhere('invoice.id < :after', { after: after[0] });
    if (since) query.andWhere('invoice.issuedAt >= :since', { since });
    if (before) query.andWhere('invoice.issuedAt < :before', { before });
    if (state) query.andWhere(IN_STATE[state]);
    return query.getMany();
  }

  /** Sums the credit notes minus the debit notes of payments, by payment id. Payments without a note are left out. */
  async notedOf(
    transaction: Transaction,
    accountId: string,
    paymentIds: readonly string[],
  ): Promise<Map<string, Micros>> {
    const rows = await transaction.query<{ id: string; noted: string }>(
      `select payment_id as id, sum(case kind when 'credit_note' then total_micros else -total_micros end)::text as noted
       from invoices where account_id = $1 and payment_id = any($2) and kind <> 'invoice' group by payment_id`,
      [accountId, paymentIds],
    );
    return new Map(rows.map(({ id, noted }) => [id, BigInt(noted)]));
  }

  async notedOfPayment(transaction: Transaction, { accountId, id }: Payment): Promise<NotedMoney> {
    const [{ total, tax }] = await transaction.query<{ total: string; tax: string }>(
      `select coalesce(sum(sign * total_micros), 0)::text as total,
         coalesce(sum(sign * tax_micros), 0)::text as tax
       from invoices, lateral (select case kind when 'credit_note' then 1 else -1 end as sign) as note
       where account_id = $1 and payment_id = $2 and kind <> 'invoice'`,
      [accountId, id],
    );
    return { totalMicros: BigInt(total), taxMicros: BigInt(tax) };
  }
}
