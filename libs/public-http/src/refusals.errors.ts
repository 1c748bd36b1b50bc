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

export class HeadersTooLarge extends Problem {
  constructor() {
    super({
      code: 'headers_too_large',
      status: 431,
      detail: 'The request headers are larger than 16 KiB.',
    });
  }
}

export class ServiceOverloaded extends Problem {
  constructor() {
    super({
      code: 'service_overloaded',
      status: 503,
      detail: 'The service is overloaded. Nothing was charged. Try again shortly.',
      retryAfterSeconds: 1,
    });
  }
}

export class AnswerTimeout extends Problem {
  constructor() {
    super({
      code: 'answer_timeout',
      status: 504,
      detail: 'The request timed out. Nothing was charged.',
      retryAfterSeconds: 5,
    });
  }
}

export class AccountSuspended extends Problem {
  constructor() {
    super({
      code: 'account_suspended',
      status: 403,
      detail: 'This account is suspended. Log in to the dashboard to see why.',
    });
  }
}

export class AccountDeletedProblem extends Problem {
  constructor(restorableUntil?: string) {
    super({
      code: 'account_deleted',
      status: 403,
      detail: 'This account was deleted. Its owner can restore it in the dashboard.',
      members: restorableUntil === undefined ? undefined : { restorable_until: restorableUntil },
    });
  }
}
