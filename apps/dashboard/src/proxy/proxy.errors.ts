import { Problem } from '#libs/platform';

export class TooManyExports extends Problem {
  constructor() {
    super({
      code: 'service_overloaded',
      status: 503,
      detail:
        'Your account or too many others are being exported right now. Try again in a minute.',
      retryAfterSeconds: 60,
    });
  }
}
