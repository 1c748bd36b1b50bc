import { Problem } from '#libs/platform';

/** Thrown if a program requested `/`, the address of the API itself. */
export class NothingAtRoot extends Problem {
  constructor(dashboardUrl: string) {
    super({
      code: 'not_found',
      status: 404,
      detail:
        'This is the API; its operations start with /v2.0. `GET /openapi.json` describes them, and /docs shows them in a browser. Create keys on the dashboard.',
      members: { openapi: '/openapi.json', docs: '/docs', dashboard: dashboardUrl },
    });
  }
}
