import { IsIn, IsInt, IsString, Matches, Max, Min, ValidateIf } from 'class-validator';
import { Nested, NestedList, NullableText } from '../../members.js';
import { type ChosenProcessor, PROCESSOR_NAMES } from './processor-answer.js';
import type { PaymentLineKind } from '../../events/billing/payment-line.js';
import { Paging } from '../paging/paging-answer.js';

const CREDITS_MIN = 5_000;
const CREDITS_MAX = 3_000_000;
const UNITS_MAX = 20;

export const ORDER_STATES = [
  'created',
  'redirected',
  'processing',
  'paid',
  'expired',
  'failed',
  'cancelled',
  'partially_refunded',
  'refunded',
  'disputed',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** The package or plan to buy. A price is never accepted from the client (S50). */
export class CreateOrderRequest {
  @IsIn(['package', 'subscription'])
  product: 'package' | 'subscription';

  /** Only for a package: in steps of 1,000 up to 100,000, and of 10,000 above. */
  @ValidateIf(
    ({ product, credits }: CreateOrderRequest) => product === 'package' || credits !== undefined,
  )
  @IsInt()
  @Min(CREDITS_MIN)
  @Max(CREDITS_MAX)
  credits?: number;

  /** Only for a plan, for example `api-15K-month`. */
  @ValidateIf(
    ({ product, sku }: CreateOrderRequest) => product === 'subscription' || sku !== undefined,
  )
  @Matches(/^[\w-]{1,100}$/)
  sku?: string;

  /** Units of a plan; 1 by default. */
  @ValidateIf(({ quantity }: CreateOrderRequest) => quantity !== undefined)
  @IsInt()
  @Min(1)
  @Max(UNITS_MAX)
  quantity?: number;

  @IsIn(PROCESSOR_NAMES)
  processor: ChosenProcessor;
}

export class OrderLineAnswer {
  @IsString()
  kind: PaymentLineKind;

  @IsString()
  sku: string;

  @IsInt()
  quantity: number;

  /** The price without tax, in millionths of the currency unit, decimal string. */
  @IsString()
  amount_micros: string;

  @IsString()
  tax_micros: string;

  @NullableText()
  credits: string | null;
}

export class OrderAnswer {
  @IsString()
  id: string;

  @IsIn(ORDER_STATES)
  state: OrderState;

  @IsString()
  processor: string;

  /** The amount to pay, tax included, in millionths of the currency unit, decimal string. */
  @IsString()
  amount_micros: string;

  /** The tax that the amount includes. */
  @IsString()
  tax_micros: string;

  @IsString()
  currency: string;

  /** The URL of the processor's page while the order waits for the customer there; otherwise null. */
  @NullableText()
  redirect_url: string | null;

  /** When a payment for the order was last declined, RFC 3339; null if none was, or once the order is paid. */
  @NullableText()
  declined_at: string | null;

  @IsString()
  created_at: string;

  @IsString()
  expires_at: string;

  @NestedList(() => OrderLineAnswer)
  lines: OrderLineAnswer[];
}

/** A page of orders, newest first. */
export class OrdersAnswer {
  @NestedList(() => OrderAnswer)
  orders: OrderAnswer[];

  @Nested(() => Paging)
  paging: Paging;
}
