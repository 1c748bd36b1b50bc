import { Problem } from '#libs/platform';

export class CrossSiteRequest extends Problem {
  constructor() {
    super({
      code: 'cross_site_request',
      status: 403,
      detail: 'This request did not come from the dashboard, so nothing was changed.',
    });
  }
}

export class CsrfTokenInvalid extends Problem {
  constructor() {
    super({
      code: 'csrf_token_invalid',
      status: 403,
      detail: 'The page has expired or belongs to another session. Reload it and try again.',
    });
  }
}

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

export class TooManyCalls extends Problem {
  constructor() {
    super({
      code: 'too_busy',
      status: 429,
      detail: 'Too many requests of your account are being answered. Try again in a moment.',
      retryAfterSeconds: 1,
    });
  }
}
