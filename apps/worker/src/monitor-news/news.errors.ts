import { Problem, waitWords } from '#libs/platform';

export class TooManyTests extends Problem {
  constructor(max: number, retryAfterSeconds: number) {
    super({
      code: 'too_many_tests',
      status: 429,
      detail: `A monitor can be tested ${max} times an hour. Try again in ${waitWords(retryAfterSeconds)}.`,
      retryAfterSeconds,
    });
  }
}

export class TooManyTestsADay extends Problem {
  constructor(max: number, retryAfterSeconds: number) {
    super({
      code: 'too_many_tests',
      status: 429,
      detail: `Within a day, an account can test its monitors ${max} times. Try again in ${waitWords(retryAfterSeconds)}.`,
      retryAfterSeconds,
    });
  }
}
