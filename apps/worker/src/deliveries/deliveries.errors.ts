import { Problem, waitWords } from '#libs/platform';

export class TooManyWebhookTests extends Problem {
  constructor(max: number, retryAfterSeconds: number) {
    super({
      code: 'too_many_tests',
      status: 429,
      detail: `A webhook can be tested ${max} times an hour. Try again in ${waitWords(retryAfterSeconds)}.`,
      retryAfterSeconds,
    });
  }
}

export class TooManyReplays extends Problem {
  constructor(max: number, retryAfterSeconds: number) {
    super({
      code: 'too_many_tests',
      status: 429,
      detail: `Within a day, an account can have at most ${max} deliveries sent again. Try again in ${waitWords(retryAfterSeconds)}.`,
      retryAfterSeconds,
    });
  }
}
