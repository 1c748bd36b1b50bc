import { Problem } from '#libs/platform';

const NOTHING_CHARGED =
  'The payment processor is not responding. Nothing was charged. Try again shortly with the same Idempotency-Key.';

export class ProcessorUnavailable extends Problem {
  /** @param detail replaces the default text, for calls that may have charged something. */
  constructor(cause: unknown, detail = NOTHING_CHARGED) {
    super({ code: 'processor_unavailable', status: 503, detail, retryAfterSeconds: 5 }, { cause });
  }
}
