import { Problem } from '#libs/platform';

export class InsufficientCredits extends Problem {
  constructor(cost: number) {
    super({
      code: 'insufficient_credits',
      status: 402,
      detail: `This request costs ${cost} credit(s), more than the account has left.`,
      members: { credits_required: cost },
    });
  }
}

export class KeyCapReached extends Problem {
  constructor(cap: number) {
    super({
      code: 'key_cap_reached',
      status: 402,
      detail: `The key has spent the ${cap} credits that it may spend in a UTC day.`,
      members: { daily_credit_cap: cap },
    });
  }
}

/** There are enough credits, but other gateways hold them at this moment. */
export class CreditsBusy extends Problem {
  constructor() {
    super({
      code: 'credits_busy',
      status: 503,
      detail: 'The last credits of the account are in use by other requests. Nothing was charged.',
      retryAfterSeconds: 1,
    });
  }
}
