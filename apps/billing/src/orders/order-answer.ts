import type { OrderAnswer } from '#libs/contracts';
import type { Order } from './order.entity.js';
import { isUnpaid } from './order-state.js';
import type { OrderLine } from './order-line.entity.js';

export function toOrderAnswer(order: Order, lines: readonly OrderLine[]): OrderAnswer {
  return {
    id: order.id,
    state: order.state,
    processor: order.processor,
    amount_micros: order.amountMicros.toString(),
    tax_micros: lines.reduce((sum, { taxMicros }) => sum + taxMicros, 0n).toString(),
    currency: order.currency,
    redirect_url: order.state === 'redirected' ? order.redirectUrl : null,
    declined_at: isUnpaid(order.state) ? (order.declinedAt?.toISOString() ?? null) : null,
    created_at: order.createdAt.toISOString(),
    expires_at: order.expiresAt.toISOString(),
    lines: lines.map((line) => ({
      kind: line.kind,
      sku: line.sku,
      quantity: line.quantity,
      amount_micros: line.amountMicros.toString(),
      tax_micros: line.taxMicros.toString(),
      credits: line.credits?.toString() ?? null,
    })),
  };
}
