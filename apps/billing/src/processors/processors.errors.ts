import { Problem } from '#libs/platform';

export class ProcessorUnavailable extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'processor_unavailable',
        status: 503,
        detail:
          'The payment processor is not responding. Nothing was charged. Try again shortly with the same Idempotency-Key.',
        retryAfterSeconds: 5,
      },
      { cause },
    );
  }
}
