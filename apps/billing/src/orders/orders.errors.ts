import { Problem } from '#libs/platform';

export class IdempotencyKeyReused extends Problem {
  constructor() {
    super({
      code: 'idempotency_key_reused',
      status: 422,
      detail:
        'This Idempotency-Key was already used for another request. Use a new key for a new request.',
    });
  }
}

export class ProcessorUnavailable extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'processor_unavailable',
        status: 503,
        detail:
          'The payment processor does not answer right now. Nothing was charged. Try again shortly with the same Idempotency-Key.',
        retryAfterSeconds: 5,
      },
      { cause },
    );
  }
}

export class CheckoutRefused extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'checkout_refused',
        status: 422,
        detail: 'The payment processor refused this checkout. Nothing was charged.',
      },
      { cause },
    );
  }
}
