import type { ConcurrencyClass, RateClass } from '#libs/contracts';
import { Problem, counted } from '#libs/platform';

export class RateLimited extends Problem {
  /** @param retryAfterSeconds absent if the answer gets the time from the counter. */
  constructor(rateClass: RateClass | 'public' | 'mcp', limit: number, retryAfterSeconds?: number) {
    super({
      retryAfterSeconds,
      code: 'rate_limited',
      status: 429,
      detail: `You sent more than ${counted(limit, 'request')} of class "${rateClass}" within 60 seconds. Nothing was charged. Wait for the number of seconds in Retry-After.`,
      members: { class: rateClass, limit, window_seconds: 60 },
    });
  }
}

export class ClassBusy extends Problem {
  constructor(concurrency: ConcurrencyClass) {
    super({
      code: 'class_busy',
      status: 503,
      detail: `The service or your account has too many requests of class "${concurrency}" in progress. Nothing was charged.`,
      retryAfterSeconds: 1,
    });
  }
}
