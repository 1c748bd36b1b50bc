import { type FieldError, Problem } from './problem.js';

export class InvalidRequest extends Problem {
  constructor(errors: FieldError[]) {
    super({
      code: 'invalid_request',
      status: 400,
      detail: `The request is not valid: ${errors.map((e) => `${e.field}: ${e.message.replace(/\.$/, '')}`).join('; ')}.`,
      errors,
    });
  }
}

export class PayloadTooLarge extends Problem {
  constructor(detail = 'The request body is too large.', errors?: FieldError[]) {
    super({ code: 'payload_too_large', status: 413, detail, errors });
  }
}

export class UnsupportedMediaType extends Problem {
  constructor(
    detail = 'This content type is not supported. Send JSON with "Content-Type: application/json".',
  ) {
    super({ code: 'unsupported_media_type', status: 415, detail });
  }
}

export class NotFound extends Problem {
  constructor(detail = 'Nothing was found at this address.') {
    super({ code: 'not_found', status: 404, detail });
  }
}

/** The error for a call without a live session; an API key does not count as a session. */
export class NotLoggedIn extends Problem {
  constructor() {
    super({
      code: 'not_logged_in',
      status: 401,
      detail: 'Log in first. API keys are not accepted here.',
    });
  }
}

/**
 * Thrown if a call requires a log-in or an entered password within the last 10 minutes, and both are older (S35).
 */
export class ReauthenticationRequired extends Problem {
  constructor() {
    super({
      code: 'reauthentication_required',
      status: 403,
      detail:
        'Enter your password again. This action requires a log-in within the last 10 minutes.',
    });
  }
}

export class CallerNotAllowed extends Problem {
  constructor() {
    super({
      code: 'caller_not_allowed',
      status: 403,
      detail: 'This service may not call this internal route.',
    });
  }
}

export class InternalError extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'internal_error',
        status: 500,
        detail: 'An internal error occurred. It is logged under this request id.',
        retryable: true,
      },
      { cause },
    );
  }

  /** True if the cause says that the error results from load, such as a statement that the database cancelled. */
  override get isOfLoad(): boolean {
    return (this.cause as { isOfLoad?: unknown } | undefined)?.isOfLoad === true;
  }
}

export class ServiceUnavailable extends Problem {
  constructor(service: string, cause?: unknown) {
    super(
      {
        code: 'service_unavailable',
        status: 503,
        detail: `A part of the service (${service}) is unavailable. Try again shortly.`,
        retryAfterSeconds: 1,
      },
      { cause },
    );
  }
}

/** The error if no connection to the service's own database is free, or if the server is unavailable. */
export class DatabaseUnavailable extends ServiceUnavailable {
  constructor(cause: unknown) {
    super('database', cause);
  }
}

export class MalformedRequest extends Problem {
  constructor(hint = '') {
    super({
      code: 'malformed_request',
      status: 400,
      detail: `This is not a well-formed HTTP/1.1 request.${hint}`,
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
