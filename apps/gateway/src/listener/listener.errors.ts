import { Problem } from '#libs/platform';

export class UnexpectedBody extends Problem {
  constructor() {
    super({
      code: 'unexpected_body',
      status: 400,
      detail: 'This address takes no request body. Send the parameters in the query.',
    });
  }
}

export class MethodNotAllowed extends Problem {
  constructor(readonly allow: string) {
    super({
      code: 'method_not_allowed',
      status: 405,
      detail: `This address does not take that method. Allowed: ${allow}.`,
    });
  }
}

export class RequestTimeout extends Problem {
  constructor() {
    super({
      code: 'request_timeout',
      status: 408,
      detail: 'The request did not arrive in time.',
      retryable: true,
    });
  }
}

export class UriTooLong extends Problem {
  constructor(limitBytes: number) {
    super({
      code: 'uri_too_long',
      status: 414,
      detail: `The path and query are longer than ${limitBytes} bytes.`,
    });
  }
}

export class ExpectationFailed extends Problem {
  constructor() {
    super({
      code: 'expectation_failed',
      status: 417,
      detail: 'The only expectation that is understood is "100-continue".',
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
