import type { RequestWindow, WindowAnswer } from '#libs/counters';
import type { Problem } from '#libs/platform';
import type { Exchange } from '../exchange/exchange.js';
import type { KeyEntry } from '../facts/caller.js';
import type { ClassConcurrency } from '../rate-limits/class-concurrency.js';
import { rateQuota } from '../rate-limits/rate-quota.js';
import { ClassBusy, RateLimited } from '../rate-limits/rate-limits.errors.js';

/** One refusal per class and limit: they are the most frequent answers under a flood. */
const rateLimited = new Map<string, RateLimited>();
const REFUSALS_MAX = 1_000;

/** Step 6a: counts the request against the account's minute, whichever of its keys is used (S99). */
export function countRequest(
  { route }: Exchange,
  { account, isTest }: KeyEntry,
  window: RequestWindow,
): WindowAnswer | Promise<WindowAnswer> {
  const rateClass = route.operation.class;
  return window.take(account.counterId, rateQuota(rateClass, isTest), account.limits[rateClass]);
}

/** Step 6b: 429 when the minute is full, 503 when the class is. */
export function limitRate(exchange: Exchange, concurrency: ClassConcurrency): Problem | undefined {
  const { rate, rateLimit, route } = exchange;
  const rateClass = route.operation.class;
  if (!rate?.allowed) {
    const name = `${rateClass}/${rateLimit}`;
    let refusal = rateLimited.get(name);
    if (refusal === undefined) {
      if (rateLimited.size >= REFUSALS_MAX) rateLimited.clear();
      refusal = new RateLimited(rateClass, rateLimit);
      rateLimited.set(name, refusal);
    }
    return refusal;
  }
  exchange.isInClass = concurrency.enter(route.classPlace);
  return exchange.isInClass ? undefined : new ClassBusy(rateClass);
}
