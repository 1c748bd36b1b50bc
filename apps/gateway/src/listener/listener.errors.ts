import { Problem } from '#libs/platform';

/** The address of the API itself, asked by a program. */
export class NothingAtRoot extends Problem {
  constructor(dashboardUrl: string) {
    super({
      code: 'not_found',
      status: 404,
      detail:
        'This is the address of the API; its operations begin with /v2.0. `GET /openapi.json` describes them, /docs shows them in a browser, and keys are made on the dashboard.',
      members: { openapi: '/openapi.json', docs: '/docs', dashboard: dashboardUrl },
    });
  }
}
