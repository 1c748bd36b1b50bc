/** Credits that are fixed, or depend on the value of one parameter, which may lead to another. */
export type Credits = number | { parameter: string; by: Readonly<Record<string, Credits>> };

/**
 * What an operation costs. Which outcomes are charged is the same for all (`isOutcomeCharged`).
 *
 * - `answer`: once for an answer.
 * - `item`: for each item of the answer whose outcome is charged; `items` is how many there may be at
 *   most, which is what is reserved before.
 * - `page`: for each page that is not empty.
 * - `free`: nothing; `later` says what the work that it starts costs.
 */
export type Price =
  | { per: 'answer' | 'page'; credits: Credits }
  | { per: 'item'; credits: Credits; items: (input: PricedInput) => number }
  | { per: 'free'; later?: string };

/** The facts on which a price may depend. */
export interface PricedInput {
  /** Values of the given parameters by name, as they were read. */
  values: Readonly<Record<string, unknown>>;
  /** The validated body, for operations that have one. */
  body?: unknown;
}

/** Most credits that one request may cost: what is reserved, and what `max_credits` is compared with. */
export function maxCredits(price: Price, input: PricedInput): number {
  if (price.per === 'free') return 0;
  const each = creditsEach(price.credits, input);
  return price.per === 'item' ? each * price.items(input) : each;
}

/** Credits for one answer, item or page. */
export function creditsEach(credits: Credits, input: PricedInput): number {
  if (typeof credits === 'number') return credits;
  const chosen = credits.by[String(input.values[credits.parameter])];
  return chosen === undefined ? maxCreditsEach(credits) : creditsEach(chosen, input);
}

/** Credits for the dearest answer, item or page there is. */
export function maxCreditsEach(credits: Credits): number {
  if (typeof credits === 'number') return credits;
  return Math.max(...Object.values(credits.by).map(maxCreditsEach));
}
