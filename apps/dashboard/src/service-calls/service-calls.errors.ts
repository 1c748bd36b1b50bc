import { Problem, waitWords } from '#libs/platform';

export class TooManyCalls extends Problem {
  constructor() {
    super({
      code: 'too_busy',
      status: 429,
      detail:
        'The dashboard is busy, or your account or network has too many requests in progress. Try again in a moment.',
      retryAfterSeconds: 1,
    });
  }
}

export class TooManyChanges extends Problem {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'too_busy',
      status: 429,
      detail: `Your account has sent too many requests that change or start something. Try again in ${waitWords(retryAfterSeconds)}.`,
      retryAfterSeconds,
    });
  }
}
