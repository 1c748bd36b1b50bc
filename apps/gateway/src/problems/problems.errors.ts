import { Problem } from '#libs/platform';

export class MalformedRequest extends Problem {
  constructor(hint = '') {
    super({
      code: 'malformed_request',
      status: 400,
      detail: `This is not a well-formed HTTP/1.1 request.${hint}`,
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
