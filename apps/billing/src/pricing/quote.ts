import {
  CATALOGUE_VERSION,
  type PaymentLineKind,
  packagePriceMicros,
  planOfSku,
  tierOfCredits,
} from '#libs/contracts';
import type { Micros } from '#libs/platform';
import { type BuyerTax, taxOn } from '../tax/tax-rates.js';

/** A customer's request, which never contains a price. */
export type Wish =
  | { product: 'package'; credits: number }
  | { product: 'subscription'; sku: string; quantity: number };

export interface QuotedLine {
  kind: PaymentLineKind;
  sku: string;
  quantity: number;
  /** Without tax. */
  amountMicros: Micros;
  taxMicros: Micros;
  taxPpm: number;
  credits: bigint | null;
  tier: string | null;
}

export interface Quote {
  catalogueVersion: string;
  /** ISO 4217. */
  currency: string;
  /** The amount to pay, with tax. */
  amountMicros: Micros;
  /**
   * Whether the buyer owes the tax. This is decided at the time of the quote: later changes to the billing details do
   * not change the tax.
   */
  isReverseCharge: boolean;
  /** The tax id that determined the tax; null if there was none. */
  judgedBy: string | null;
  lines: QuotedLine[];
}

/** Returns the price for a buyer by today's catalogue, whose prices are net; undefined for items that are not sold. */
export function quoteOf(wish: Wish, tax: BuyerTax): Quote | undefined {
  const { ppm: taxPpm, isReverseCharge, judgedBy } = tax;
  const line = wish.product === 'package' ? packageLine(wish.credits) : planLine(wish);
  if (!line) return undefined;
  const taxMicros =
    taxOn(line.amountMicros / BigInt(line.quantity), taxPpm) * BigInt(line.quantity);
  return {
    catalogueVersion: CATALOGUE_VERSION,
    currency: 'USD',
    amountMicros: line.amountMicros + taxMicros,
    isReverseCharge,
    judgedBy,
    lines: [{ ...line, taxMicros, taxPpm }],
  };
}

type PricedLine = Omit<QuotedLine, 'taxMicros' | 'taxPpm'>;

function packageLine(credits: number): PricedLine | undefined {
  const price = packagePriceMicros(credits);
  if (price === undefined) return undefined;
  return {
    kind: 'package',
    sku: `package-${credits}`,
    quantity: 1,
    amountMicros: BigInt(price),
    credits: BigInt(credits),
    tier: tierOfCredits(credits)?.name ?? null,
  };
}

function planLine({ sku, quantity }: { sku: string; quantity: number }): PricedLine | undefined {
  const plan = planOfSku(sku);
  if (!plan?.isOffered) return undefined;
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > plan.unitsMax) return undefined;
  const amountMicros = BigInt(plan.unitMicros) * BigInt(quantity);
  return { kind: plan.kind, sku, quantity, amountMicros, credits: null, tier: null };
}
