import { Problem } from '#libs/platform';

export class MissingApiKey extends Problem {
  constructor() {
    super({
      code: 'missing_api_key',
      status: 401,
      detail:
        'No API key was sent. Send it as "Authorization: Bearer <key>", as "X-API-Key" or as apiKey in the query.',
    });
  }
}

/** One answer for unknown, revoked, expired and malformed keys, so that it tells nothing (S12). */
export class InvalidApiKey extends Problem {
  constructor() {
    super({
      code: 'invalid_api_key',
      status: 401,
      detail: 'The API key is not valid. It may be mistyped, expired or revoked.',
    });
  }
}

export class AmbiguousCredentials extends Problem {
  constructor() {
    super({
      code: 'ambiguous_credentials',
      status: 400,
      detail: 'The request carries more than one API key. Send one, in one place.',
    });
  }
}

export class TooManyFailedKeys extends Problem {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'too_many_failed_keys',
      status: 429,
      detail: 'Too many requests with keys that are not valid came from this address.',
      retryAfterSeconds,
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

export class AccountSuspended extends Problem {
  constructor() {
    super({
      code: 'account_suspended',
      status: 403,
      detail: 'This account is suspended. The dashboard says why.',
    });
  }
}

export class AddressNotAllowed extends Problem {
  constructor() {
    super({
      code: 'address_not_allowed',
      status: 403,
      detail: "This address is not on the key's allow-list.",
    });
  }
}

export class ScopeDenied extends Problem {
  constructor(scope: string) {
    super({
      code: 'scope_denied',
      status: 403,
      detail: `The key does not have the scope "${scope}" that this operation needs.`,
      members: { scope },
    });
  }
}

export class KeyPaused extends Problem {
  constructor() {
    super({
      code: 'key_paused',
      status: 403,
      detail:
        'The plan allows fewer keys than the account has; this one is paused. Older keys go first.',
    });
  }
}
