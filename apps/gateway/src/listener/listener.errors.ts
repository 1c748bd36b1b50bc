import { Problem } from '#libs/platform';

export class UnexpectedBody extends Problem {
  constructor() {
    super({
      code: 'unexpected_body',
      status: 400,
      detail:
        'This endpoint does not accept a request body. Send the parameters in the query string.',
    });
  }
}

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

export class MethodNotAllowed extends Problem {
  constructor(readonly allow: string) {
    super({
      code: 'method_not_allowed',
      status: 405,
      detail: `This endpoint does not support this method. Allowed: ${allow}.`,
    });
  }
}

export class RequestTimeout extends Problem {
  constructor() {
    super({
      code: 'request_timeout',
      status: 408,
      detail: 'The complete request did not arrive in time.',
      retryable: true,
    });
  }
}

export class UriTooLong extends Problem {
  constructor(limitBytes: number) {
    super({
      code: 'uri_too_long',
      status: 414,
      detail: `The path and query string together are longer than ${limitBytes} bytes.`,
    });
  }
}

export class ExpectationFailed extends Problem {
  constructor() {
    super({
      code: 'expectation_failed',
      status: 417,
      detail: 'The only supported Expect value is "100-continue".',
    });
  }
}

export class HeadersTooLarge extends Problem {
  constructor() {
    super({
      code: 'headers_too_large',
      status: 431,
      detail: 'The request headers are larger than 16 KiB.',
    });
  }
}
