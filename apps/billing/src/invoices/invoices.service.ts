import { Injectable } from '@nestjs/common';
import { type InvoiceKind, PROCESSOR_TITLES } from '#libs/contracts';
import { type Transaction, takeNumber } from '#libs/database';
import { Clock, type Micros, newId, shareOfMoney } from '#libs/platform';
import { BillingConfig } from '../billing.config.js';
import { JudgedTaxIdsService } from '../tax-ids/judged-tax-ids.service.js';
import { sellerOf } from '../invoice-pdf/invoice-document.js';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import type { Payment } from '../payment-records/payment.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { type Invoice, invoiceNumber } from './invoice.entity.js';
import { noteLine, printedLine } from './invoice-lines.js';
import { InvoicesRepository, type NotedMoney } from './invoices.repository.js';
import { LossesService } from '../losses/losses.service.js';
import { PrintInvoicesJob } from './print-invoices.job.js';

const PREFIXES: Readonly<Record<InvoiceKind, string>> = {
  invoice: 'INV',
  credit_note: 'CN',
  debit_note: 'DN',
};

interface NewInvoice extends Pick<
  Invoice,
  | 'kind'
  | 'reversalId'
  | 'corrects'
  | 'totalMicros'
  | 'taxMicros'
  | 'carriedMicros'
  | 'isReverseCharge'
  | 'lines'
> {
  /** The order, subscription or corrected invoice for which the tax was decided. */
  judgedWith: string | undefined;
}

@Injectable()
export class InvoicesService {
  constructor(
    private readonly invoices: InvoicesRepository,
    private readonly printing: PrintInvoicesJob,
    private readonly taxIds: JudgedTaxIdsService,
    private readonly losses: LossesService,
    private readonly config: BillingConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Issues the invoice of a payment in the transaction that stores the payment, no matter which processor received it.
   * Taking the number is the last step of the transaction.
   */
  issue(transaction: Transaction, payment: Payment, lines: readonly StoredPaymentLine[]): void {
    transaction.beforeCommit(async () => {
      const taxMicros = lines.reduce((sum, line) => sum + line.taxMicros, 0n);
      const decision = await this.invoices.findTaxDecision(transaction, payment);
      await this.write(transaction, payment, {
        kind: 'invoice',
        reversalId: null,
        corrects: null,
        totalMicros: payment.amountMicros - payment.carriedMicros,
        taxMicros,
        carriedMicros: payment.carriedMicros,
        isReverseCharge: taxMicros === 0n && decision?.isReverseCharge === true,
        judgedWith: decision?.subjectId,
        lines: lines.map((line) => printedLine(line)),
      });
    });
  }

  /**
   * Records a final reversal: a credit note for newly reversed money, a debit note for money that came back (a refund
   * that failed, a dispute that was won). The notes of an invoice never exceed the invoice: money reversed beyond that,
   * for example by a lost dispute over refunded money, is booked as a loss. The caller must hold the lock of the
   * payment's aggregate.
   * @param credits the package credits that the reversal revokes or restores.
   */
  correct(transaction: Transaction, payment: Payment, reversal: Reversal, credits: bigint): void {
    transaction.beforeCommit(async () => {
      const invoice = await this.invoices.findOfPayment(transaction, payment);
      if (!invoice) throw new Error(`payment ${payment.id} has no invoice`);
      const { takenMicros, lostMicros } = await this.losses.ofPayment(transaction, payment);
      const due = takenMicros < invoice.totalMicros ? takenMicros : invoice.totalMicros;
      await this.losses.book(transaction, payment, takenMicros - due - lostMicros);
      const noted = await this.invoices.notedOfPayment(transaction, payment);
      const more = due - noted.totalMicros;
      if (more === 0n) return;
      const corrects = invoiceNumber(invoice);
      const totalMicros = more < 0n ? -more : more;
      const taxMicros = taxOfNote(invoice, noted, more);
      const [{ taxPpm }] = invoice.lines;
      await this.write(transaction, payment, {
        kind: more > 0n ? 'credit_note' : 'debit_note',
        reversalId: reversal.id,
        corrects,
        totalMicros,
        taxMicros,
        carriedMicros: 0n,
        isReverseCharge: invoice.isReverseCharge,
        judgedWith: invoice.id,
        lines: [
          noteLine(reversal, { corrects, credits, netMicros: totalMicros - taxMicros, taxPpm }),
        ],
      });
    });
  }

  private async write(
    transaction: Transaction,
    payment: Payment,
    { judgedWith, ...members }: NewInvoice,
  ): Promise<void> {
    const issuedAt = this.clock.now();
    const series = `${PREFIXES[members.kind]}-${issuedAt.getUTCFullYear()}${this.config.invoiceSeries}`;
    const { accountId, id: paymentId, currency, processor, externalId } = payment;
    const invoice: Invoice = {
      ...members,
      id: newId(),
      accountId,
      paymentId,
      series,
      number: 0,
      currency,
      seller: sellerOf(this.config),
      paidBy: { processor, title: PROCESSOR_TITLES[processor], reference: externalId },
      issuedAt,
    };
    const judgedBy =
      judgedWith && (await this.taxIds.find(transaction, { accountId, subjectId: judgedWith }));
    if (judgedBy)
      await this.taxIds.keep(transaction, { accountId, subjectId: invoice.id }, judgedBy);
    await this.printing.add(transaction, invoice);
    invoice.number = await takeNumber(transaction, series);
    await this.invoices.insert(transaction, invoice);
  }
}

/**
 * Returns the tax within a note, a positive amount. The tax is calculated from the total of all notes of the payment,
 * so that rounding errors do not add up: if all money is reversed, all tax is.
 */
function taxOfNote({ taxMicros, totalMicros }: Invoice, noted: NotedMoney, more: Micros): Micros {
  if (taxMicros === 0n) return 0n;
  const taxDue = shareOfMoney(taxMicros, noted.totalMicros + more, totalMicros);
  const taxMore = taxDue - noted.taxMicros;
  return taxMore < 0n ? -taxMore : taxMore;
}
