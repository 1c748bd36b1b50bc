import { Problem, waitWords } from '#libs/platform';

export class TooManyCalls extends Problem {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'too_busy',
      status: 429,
      detail: `Your account has sent too many requests of this kind. Try again in ${waitWords(retryAfterSeconds)}.`,
      retryAfterSeconds,
    });
  }
}
