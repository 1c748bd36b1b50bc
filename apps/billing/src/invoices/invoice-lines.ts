import { planOfSku } from '#libs/contracts';
import { counted, roundToCent } from '#libs/platform';
import type { StoredPaymentLine } from '../payment-records/payment-line.entity.js';
import type { Reversal } from '../payment-records/reversal.entity.js';
import type { InvoiceLine } from './invoice.entity.js';

/** Describes the item that was paid for, as printed. Only this function rounds a line to cents. */
export function printedLine(line: StoredPaymentLine): InvoiceLine {
  return {
    text: textOf(line),
    quantity: line.quantity,
    netMicros: roundToCent(line.amountMicros).toString(),
    taxPpm: line.taxPpm,
  };
}

interface Correction {
  corrects: string;
  credits: bigint;
  netMicros: bigint;
  taxPpm: number;
}

export function noteLine(
  { cause, state }: Reversal,
  { corrects, credits, netMicros, taxPpm }: Correction,
): InvoiceLine {
  const why = cause === 'dispute' ? 'disputed payment' : 'refund';
  const many = counted(credits, 'credit');
  const what =
    state === 'undone'
      ? `${many} ${credits === 1n ? 'is' : 'are'} yours again`
      : `${many} taken back`;
  return {
    text: `Correction of invoice ${corrects}: ${why}${credits > 0n ? `, ${what}` : ''}`,
    quantity: 1,
    netMicros: netMicros.toString(),
    taxPpm,
  };
}

function textOf(line: StoredPaymentLine): string {
  const { kind, sku, credits, startsAt, periodEnd, isChange } = line;
  if (kind === 'package') return counted(credits!, 'credit');
  const name = planOfSku(sku)?.name ?? sku;
  const what = isChange ? `Upgrade to ${name}` : name;
  return startsAt && periodEnd ? `${what}, ${day(startsAt)} to ${day(periodEnd)}` : what;
}

const day = (date: Date) => date.toISOString().slice(0, 10);
