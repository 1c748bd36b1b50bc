import { Problem } from '#libs/platform';

export class MissingApiKey extends Problem {
  /**
   * @param found a sentence that says where a key was found, if it was sent in the wrong place or under the wrong name.
   */
  constructor(found = 'No API key was sent.') {
    super({
      code: 'missing_api_key',
      status: 401,
      detail: `${found} Send the key as "X-API-Key: <key>", "Authorization: Bearer <key>" or as apiKey in the query.`,
    });
  }
}

/** Unknown, revoked, expired and malformed keys all get this answer, so that it reveals nothing (S12). */
export class InvalidApiKey extends Problem {
  constructor() {
    super({
      code: 'invalid_api_key',
      status: 401,
      detail: 'The API key is not valid. It may be mistyped, unknown, expired or revoked.',
    });
  }
}

export class AmbiguousCredentials extends Problem {
  constructor() {
    super({
      code: 'ambiguous_credentials',
      status: 400,
      detail: 'The request contains more than one API key. Send exactly one.',
    });
  }
}

export class KeyInQuery extends Problem {
  constructor() {
    super({
      code: 'key_in_query',
      status: 400,
      detail:
        'Requests that manage keys do not accept a key in the URL, which many places store. Send it as "X-API-Key: <key>" or "Authorization: Bearer <key>".',
    });
  }
}

export class TooManyFailedKeys extends Problem {
  constructor(retryAfterSeconds: number) {
    super({
      code: 'too_many_failed_keys',
      status: 429,
      detail: 'Your IP address sent too many requests with invalid API keys.',
      retryAfterSeconds,
    });
  }
}

export class AddressNotAllowed extends Problem {
  constructor() {
    super({
      code: 'address_not_allowed',
      status: 403,
      detail: "Your IP address is not on this key's allow-list.",
    });
  }
}

export class ScopeDenied extends Problem {
  constructor(scope: string) {
    super({
      code: 'scope_denied',
      status: 403,
      detail: `This operation needs the scope "${scope}", which the key does not have.`,
      members: { scope },
    });
  }
}

export class TestKeyNotAllowed extends Problem {
  constructor() {
    super({
      code: 'test_key_not_allowed',
      status: 403,
      detail: 'A test key cannot change data or read files. Use a live key.',
    });
  }
}

export class CappedKeyNotAllowed extends Problem {
  constructor() {
    super({
      code: 'capped_key_not_allowed',
      status: 403,
      detail:
        'This key has a daily cap on credits. The work that this call starts is charged later and could exceed the cap. Use a key without a cap, or the dashboard.',
    });
  }
}

export class KeyPaused extends Problem {
  constructor() {
    super({
      code: 'key_paused',
      status: 403,
      detail:
        'Your plan allows fewer keys than you have, so this key is paused. The oldest keys stay active.',
    });
  }
}
