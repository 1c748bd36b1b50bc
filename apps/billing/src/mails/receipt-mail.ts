import type { InvoiceKind } from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { moneyText } from '../pricing/money-text.js';
import type { MailForPerson } from './mails.service.js';

export interface ReceiptFacts {
  kind: InvoiceKind;
  corrects: string | null;
  totalMicros: Micros;
  /** The amount paid in addition to the total, as on the invoice; negative if less was paid. */
  carriedMicros: Micros;
  currency: string;
  lines: readonly { text: string }[];
}

/** Composes the e-mail that announces an invoice, a credit note or a debit note. */
export function receiptMail(
  { kind, corrects, totalMicros, carriedMicros, currency, lines }: ReceiptFacts,
  number: string,
): MailForPerson {
  const amount = `${moneyText(totalMicros + carriedMicros)} ${currency}`;
  return (firstName, dashboardUrl) => {
    const action = {
      label: 'View your invoices',
      url: `${dashboardUrl}/invoices`,
    };
    const prints =
      'If the billing details are wrong, change them in the dashboard and print the invoice again.';
    switch (kind) {
      case 'invoice':
        return {
          subject: `Receipt: ${amount}, invoice ${number}`,
          paragraphs: [
            `Hello ${firstName}, we have received ${amount}. Your invoice is ${number}.`,
            ...lines.map(({ text }) => text),
            prints,
          ],
          action,
        };
      case 'credit_note':
        return {
          subject: `Returned: ${amount}, credit note ${number}`,
          paragraphs: [
            `Hello ${firstName}, ${amount} of invoice ${corrects} went back to you. Your credit note is ${number}.`,
            ...lines.map(({ text }) => text),
            'Returned credits that you had already used are deducted from your next purchase. Your bank may need a few days to show the money.',
          ],
          action,
        };
      case 'debit_note':
        return {
          subject: `Correction: ${amount}, debit note ${number}`,
          paragraphs: [
            `Hello ${firstName}, ${amount} of invoice ${corrects} was not refunded after all: the refund failed, or the dispute was decided. Your debit note is ${number}.`,
            ...lines.map(({ text }) => text),
          ],
          action,
        };
    }
  };
}
