import { Problem } from '#libs/platform';

const RETRY_AFTER_SECONDS = 5;

/** The list or the counts would have exceeded their time limit. Fewer days may not. */
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
