import { IsIn, IsInt, Matches, Max, Min, ValidateIf } from 'class-validator';
import type { PaymentLineKind } from '#libs/contracts';
import type { ProcessorName } from '../processors/payment-processor.js';
import type { Order } from './order.entity.js';
import type { OrderLine } from './order-line.entity.js';
import type { OrderState } from './order-state.js';

const CREDITS_MIN = 5_000;
const CREDITS_MAX = 3_000_000;
const UNITS_MAX = 20;

/** What is bought. A price is never taken from outside (S50). */
export class CreateOrderRequest {
  @IsIn(['package', 'subscription'])
  product: 'package' | 'subscription';

  /** Of a package: steps of 1,000 up to 100,000 and of 10,000 above. */
  @ValidateIf(
    ({ product, credits }: CreateOrderRequest) => product === 'package' || credits !== undefined,
  )
  @IsInt()
  @Min(CREDITS_MIN)
  @Max(CREDITS_MAX)
  credits?: number;

  /** Of a plan, for example `api-15K-month`. */
  @ValidateIf(
    ({ product, sku }: CreateOrderRequest) => product === 'subscription' || sku !== undefined,
  )
  @Matches(/^[\w-]{1,100}$/)
  sku?: string;

  /** Units of a plan; 1 when it is left out. */
  @ValidateIf(({ quantity }: CreateOrderRequest) => quantity !== undefined)
  @IsInt()
  @Min(1)
  @Max(UNITS_MAX)
  quantity?: number;

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
