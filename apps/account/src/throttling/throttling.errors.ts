import { Problem, waitWords } from '#libs/platform';

export class TooManyAttempts extends Problem {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'too_many_attempts',
      status: 429,
      detail: `There were too many attempts. Try again in ${waitWords(retryAfterSeconds)}.`,
      retryAfterSeconds,
    });
  }
}
