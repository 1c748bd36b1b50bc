import {
  CATALOGUE_VERSION,
  type PaymentLineKind,
  packagePriceMicros,
  tierOfCredits,
} from '#libs/contracts';
import type { Micros } from '#libs/platform';

/** What a customer asks for; never its price. */
export interface PackageWish {
  product: 'package';
  credits: number;
}

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
export function quoteOf({ credits }: PackageWish): Quote | undefined {
  const price = packagePriceMicros(credits);
  if (price === undefined) return undefined;
  const amountMicros = BigInt(price);
  const line: QuotedLine = {
    kind: 'package',
    sku: `package-${credits}`,
    quantity: 1,
    amountMicros,
    credits: BigInt(credits),
    tier: tierOfCredits(credits)?.name ?? null,
  };
  return { catalogueVersion: CATALOGUE_VERSION, currency: 'USD', amountMicros, lines: [line] };
}
