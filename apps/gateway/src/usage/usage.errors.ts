import { Problem } from '#libs/platform';

const RETRY_AFTER_SECONDS = 5;

/** The list or the counts took longer than the time limit. A request for fewer days may succeed. */
export class ReadTooHeavy extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'search_too_heavy',
        status: 503,
        detail: 'Reading these requests took too long and was stopped. Ask for fewer days.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
      { cause },
    );
  }
}
