import { planOfSku } from '#libs/contracts';
import { newId } from '#libs/platform';
import { grossOf } from '../pricing/purchased-line.entity.js';
import type { QuotedLine } from '../pricing/quote.js';
import type { CheckoutLine } from '../processors/payment-processor.js';
import type { Order } from './order.entity.js';
import type { OrderLine } from './order-line.entity.js';

export function orderLinesOf(
  accountId: string,
  orderId: string,
  quoted: readonly QuotedLine[],
): OrderLine[] {
  return quoted.map((line) => ({ id: newId(), accountId, orderId, ...line }));
}

/** Returns a line as it is sent to the processor, the same for each repeat of the call. */
export function checkoutLineOf({ catalogueVersion }: Order, line: OrderLine): CheckoutLine {
  const { sku, quantity, amountMicros, taxMicros, taxPpm, credits } = line;
  const priced = { quantity, amountMicros, taxMicros, taxPpm };
  const plan = planOfSku(sku);
  if (!plan) {
    const name = credits === null ? sku : `${credits.toLocaleString('en-US')} API credits`;
    return { name, ...priced };
  }
  const { name, interval } = plan;
  const unitMicros = grossOf(line) / BigInt(quantity);
  const ref = { sku, catalogueVersion, taxPpm, interval, name, unitMicros };
  return { name, ...priced, plan: ref };
}
