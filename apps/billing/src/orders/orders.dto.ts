import { IsIn, IsInt, Max, Min } from 'class-validator';
import type { PaymentLineKind } from '#libs/contracts';
import type { ProcessorName } from '../processors/payment-processor.js';
import type { Order } from './order.entity.js';
import type { OrderLine } from './order-line.entity.js';
import type { OrderState } from './order-state.js';

const CREDITS_MIN = 5_000;
const CREDITS_MAX = 3_000_000;

/** What is bought. A price is never taken from outside (S50). */
export class CreateOrderRequest {
  @IsIn(['package'])
  product: 'package';

  /** Steps of 1,000 up to 100,000 and of 10,000 above. */
  @IsInt()
  @Min(CREDITS_MIN)
  @Max(CREDITS_MAX)
  credits: number;

  @IsIn(['stripe'])
  processor: ProcessorName;
}

export interface OrderLineResponse {
  kind: PaymentLineKind;
  sku: string;
  quantity: number;
  /** Millionths of the currency unit, decimal string. */
  amount_micros: string;
  credits: string | null;
}

export interface OrderResponse {
  id: string;
  state: OrderState;
  processor: ProcessorName;
  amount_micros: string;
  currency: string;
  /** The processor's page, while the order waits for the customer there. */
  redirect_url: string | null;
  created_at: string;
  expires_at: string;
  lines: OrderLineResponse[];
}

export function toOrderResponse(order: Order, lines: readonly OrderLine[]): OrderResponse {
  return {
    id: order.id,
    state: order.state,
    processor: order.processor,
    amount_micros: order.amountMicros.toString(),
    currency: order.currency,
    redirect_url: order.state === 'redirected' ? order.redirectUrl : null,
    created_at: order.createdAt.toISOString(),
    expires_at: order.expiresAt.toISOString(),
    lines: lines.map((line) => ({
      kind: line.kind,
      sku: line.sku,
      quantity: line.quantity,
      amount_micros: line.amountMicros.toString(),
      credits: line.credits?.toString() ?? null,
    })),
  };
}
