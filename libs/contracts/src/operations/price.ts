export type Credits = number | { parameter: string; by: Readonly<Record<string, Credits>> };

/**
 * The price of an operation. The charged outcomes are the same for all (`isOutcomeCharged`).
 *
 * - `answer`: once for an answer.
 * - `item`: once for each item of the answer whose outcome is charged. `item` is the name of an item in sentences;
 *   `items` is the maximum number, which is reserved in advance.
 * - `page`: for each page that is not empty.
 * - `free`: no charge; `later` states the cost of the started work.
 */
export type Price =
  | { per: 'answer' | 'page'; credits: Credits }
  | { per: 'item'; item: string; credits: Credits; items: (input: PricedInput) => number }
  | { per: 'free'; later?: string };

/** Returns the unit of a price, in words: `answered name` in "1 credit per answered name". */
export function pricedUnit(price: Exclude<Price, { per: 'free' }>): string {
  return price.per === 'item' ? price.item : price.per;
}

export interface PricedInput {
  /** Values of the given parameters by name, after reading. */
  values: Readonly<Record<string, unknown>>;
  body?: unknown;
}

/** Returns the maximum credits for one request: the amount that is reserved and compared with `max_credits`. */
export function maxCredits(price: Price, input: PricedInput): number {
  if (price.per === 'free') return 0;
  const each = creditsEach(price.credits, input);
  return price.per === 'item' ? each * price.items(input) : each;
}

/** Returns the credits for one answer, item or page; the maximum if the parameter that decides has no priced value. */
export function creditsEach(credits: Credits, input: PricedInput): number {
  if (typeof credits === 'number') return credits;
  const chosen = credits.by[String(input.values[credits.parameter])];
  return chosen === undefined ? maxCreditsEach(credits) : creditsEach(chosen, input);
}

/** Returns the credits for the most expensive answer, item or page. */
export function maxCreditsEach(credits: Credits): number {
  if (typeof credits === 'number') return credits;
  return Math.max(...Object.values(credits.by).map(maxCreditsEach));
}
