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

export class BodiesTooMany extends Problem {
  constructor() {
    super({
      code: 'service_overloaded',
      status: 503,
      detail: 'Too many request bodies are arriving at once. Nothing was done. Try again shortly.',
      retryAfterSeconds: 1,
    });
  }
}
