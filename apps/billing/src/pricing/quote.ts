import {
  CATALOGUE_VERSION,
  type PaymentLineKind,
  packagePriceMicros,
  planOfSku,
  tierOfCredits,
} from '#libs/contracts';
import type { Micros } from '#libs/platform';

/** What a customer asks for; never its price. */
export type Wish =
  | { product: 'package'; credits: number }
  | { product: 'subscription'; sku: string; quantity: number };

export interface QuotedLine {
  kind: PaymentLineKind;
  sku: string;
  quantity: number;
  amountMicros: Micros;
  credits: bigint | null;
  tier: string | null;
}

export interface Quote {
  catalogueVersion: string;
  /** ISO 4217. */
  currency: string;
  amountMicros: Micros;
  lines: QuotedLine[];
}

/** The price of a wish by today's catalogue; undefined for what is not sold. */
export function quoteOf(wish: Wish): Quote | undefined {
  const line = wish.product === 'package' ? packageLine(wish.credits) : planLine(wish);
  if (!line) return undefined;
  const { amountMicros } = line;
  return { catalogueVersion: CATALOGUE_VERSION, currency: 'USD', amountMicros, lines: [line] };
}

function packageLine(credits: number): QuotedLine | undefined {
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

function planLine({ sku, quantity }: { sku: string; quantity: number }): QuotedLine | undefined {
  const plan = planOfSku(sku);
  const isSold = plan && Number.isInteger(quantity) && quantity >= 1 && quantity <= plan.unitsMax;
  if (!isSold) return undefined;
  const amountMicros = BigInt(plan.unitMicros) * BigInt(quantity);
  return { kind: plan.kind, sku, quantity, amountMicros, credits: null, tier: null };
}
