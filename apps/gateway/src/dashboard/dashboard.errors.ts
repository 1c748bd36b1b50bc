import { Problem } from '#libs/platform';

export class CrossSiteRequest extends Problem {
  constructor() {
    super({
      code: 'cross_site_request',
      status: 403,
      detail:
        'This request does not come from a page of this dashboard, so it was not carried out.',
    });
  }
}

export class CsrfTokenInvalid extends Problem {
  constructor() {
    super({
      code: 'csrf_token_invalid',
      status: 403,
      detail:
        'The page was open for too long or in another session. Load it again and repeat the step.',
    });
  }
}
