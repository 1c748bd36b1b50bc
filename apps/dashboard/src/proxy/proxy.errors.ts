import { Problem } from '#libs/platform';

export class TooManyExports extends Problem {
  constructor() {
    super({
      code: 'service_overloaded',
      status: 503,
      detail:
        'Your account is already being exported, or too many others are. Try again in a minute.',
      retryAfterSeconds: 60,
    });
  }
}
