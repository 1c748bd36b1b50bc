import { Problem, counted } from '#libs/platform';

export class InsufficientCredits extends Problem {
  constructor(cost: number) {
    super({
      code: 'insufficient_credits',
      status: 402,
      detail: `This request may cost up to ${counted(cost, 'credit')}, which is more than you have left. Credits reserved for your running jobs and bulk requests do not count.`,
      members: { credits_required: cost },
    });
  }
}

export class KeyCapReached extends Problem {
  constructor(cap: number) {
    super({
      code: 'key_cap_reached',
      status: 402,
      detail: `This request would exceed the key's daily cap of ${counted(cap, 'credit')}. Raise the cap in the dashboard, or wait until it resets at midnight UTC.`,
      members: { daily_credit_cap: cap },
    });
  }
}

/** The answer if no credits could be reserved in time, although the account may have enough. */
export class CreditsBusy extends Problem {
  constructor() {
    super({
      code: 'credits_busy',
      status: 503,
      detail: 'Other requests are using the last credits of your account. Nothing was charged.',
      retryAfterSeconds: 1,
    });
  }
}
