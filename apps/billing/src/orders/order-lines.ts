import { newId } from '#libs/platform';
import type { QuotedLine } from '../pricing/quote.js';
import type { OrderLine } from './order-line.entity.js';

/** The lines of an order as they are stored. */
export function orderLinesOf(
  accountId: string,
  orderId: string,
  quoted: readonly QuotedLine[],
): OrderLine[] {
  return quoted.map((line) => ({ id: newId(), accountId, orderId, ...line }));
}

/** What a line is called on the processor's page: the same at each repeat of the call. */
export function nameOfLine({ sku, credits }: Pick<OrderLine, 'sku' | 'credits'>): string {
  return credits === null ? sku : `${credits.toLocaleString('en-US')} API credits`;
}
