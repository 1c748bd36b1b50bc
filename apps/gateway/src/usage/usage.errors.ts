import { Problem, SECOND_MS } from '#libs/platform';

const RETRY_AFTER_SECONDS = 5;

/** The list or the counts took longer than the time limit. A request for fewer days may succeed. */
export class ReadTooHeavy extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'search_too_heavy',
        status: 503,
        detail: 'Reading these requests took too long and was stopped. Request fewer days.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
      { cause },
    );
  }
}

export class TooMuchReading extends Problem {
  constructor(leftMs: number) {
    super({
      code: 'search_too_heavy',
      status: 503,
      detail:
        'Reading your requests took too long several times within a minute. Request fewer days.',
      retryAfterSeconds: Math.max(1, Math.ceil(leftMs / SECOND_MS)),
    });
  }
}
