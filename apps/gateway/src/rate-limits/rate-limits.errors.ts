import type { RateClass } from '#libs/contracts';
import { Problem } from '#libs/platform';

export class RateLimited extends Problem {
  constructor(rateClass: RateClass | 'public', limit: number) {
    super({
      code: 'rate_limited',
      status: 429,
      detail: `More than ${limit} requests of class "${rateClass}" within 60 seconds. Nothing was charged.`,
      members: { class: rateClass, limit, window_seconds: 60 },
    });
  }
}

export class ClassBusy extends Problem {
  constructor(rateClass: RateClass | 'public') {
    super({
      code: 'class_busy',
      status: 503,
      detail: `Too many requests of class "${rateClass}" are under way. Nothing was charged.`,
      retryAfterSeconds: 1,
    });
  }
}
