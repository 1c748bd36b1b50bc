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

export class IdempotencyKeyRunning extends Problem {
  constructor() {
    super({
      code: 'idempotency_key_running',
      status: 409,
      detail: 'The first request with this Idempotency-Key is still running. Try again shortly.',
      retryable: true,
    });
  }
}
