import { Problem } from '#libs/platform';

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
