import { Problem } from '#libs/platform';

export class InvalidDomainName extends Problem {
  constructor(message: string) {
    super({
      code: 'invalid_domain_name',
      status: 400,
      detail: message,
      errors: [{ field: 'domainName', message }],
    });
  }
}

/**
 * Thrown if a registry or registrar asked us to query again later, or if our own limit for it allows no query now. This
 * says nothing about the name.
 */
export class UpstreamThrottled extends Problem {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'upstream_throttled',
      status: 503,
      detail: 'The limit of queries to the registry is reached at the moment. Nothing was charged.',
      retryAfterSeconds,
    });
  }
}

/** The text of the errors while no upstream can be reached. */
export const CUT_OFF =
  'The service seems to have no internet connection: none of the servers it queried recently could be reached. Nothing was charged. Operators: "npm run doctor" checks the connection, and "npm start -- --offline" simulates the registries.';

/** Thrown if no server that knows the name could be reached, or the server reported a failure. */
export class UpstreamUnreachable extends Problem {
  /** @param isCutOff whether no upstream at all can be reached; if so, the failure says nothing about this registry. */
  constructor(retryAfterSeconds: number, isCutOff: boolean) {
    super({
      code: 'upstream_unreachable',
      status: 503,
      detail: isCutOff
        ? CUT_OFF
        : "None of the registry's servers can be reached at the moment. Nothing was charged.",
      retryAfterSeconds,
    });
  }
}

export class UpstreamTimeout extends Problem {
  /** @param isCutOff as in `UpstreamUnreachable`. */
  constructor(retryAfterSeconds: number, isCutOff = false) {
    super({
      code: 'upstream_timeout',
      status: 504,
      detail: isCutOff ? CUT_OFF : 'The registry did not answer in time. Nothing was charged.',
      retryAfterSeconds,
    });
  }
}

/** Thrown if the server answered, but no registration data could be read from the answer. */
export class UpstreamUnreadable extends Problem {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'upstream_unreadable',
      status: 503,
      detail: 'The registry sent an answer that could not be parsed. Nothing was charged.',
      retryAfterSeconds,
    });
  }
}

export class TldUnsupported extends Problem {
  constructor(reason = 'No registry publishes registration data for this top-level domain.') {
    super({ code: 'tld_unsupported', status: 422, detail: reason, retryable: false });
  }
}

export class LookupOverloaded extends Problem {
  constructor() {
    super({
      code: 'lookup_overloaded',
      status: 503,
      detail: 'The service is running too many lookups. Nothing was charged.',
      retryAfterSeconds: 1,
    });
  }
}

/** Thrown for an address, block or AS number for which no single registry answers, such as a reserved address. */
export class BogonAddress extends Problem {
  constructor(reason: string) {
    super({ code: 'bogon_address', status: 422, detail: reason, retryable: false });
  }
}
