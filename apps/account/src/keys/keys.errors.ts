import type { KeyEnvironment } from '#libs/contracts';
import { Problem, counted } from '#libs/platform';

export class KeyLimitReached extends Problem {
  constructor(environment: KeyEnvironment, limit: number) {
    super({
      code: 'key_limit_reached',
      status: 403,
      detail: `An account can have at most ${counted(limit, `${environment} key`)}. Revoke a key that you no longer use.`,
      members: { limit },
    });
  }
}

export class TooManyNewKeys extends Problem {
  /** @param isByKey whether a key tried to create the new key, so that the owner still can. */
  constructor(limit: number, isByKey: boolean) {
    super({
      code: 'key_limit_reached',
      status: 403,
      detail: isByKey
        ? `An account that has created ${limit} keys within 24 hours, including rotations, can create more only on the dashboard. Try again tomorrow.`
        : `An account can create at most ${limit} keys within 24 hours, including rotations. Try again tomorrow.`,
      members: { limit },
    });
  }
}

export class KeyNotActive extends Problem {
  constructor() {
    super({
      code: 'key_not_active',
      status: 409,
      detail:
        'This key is revoked, expired or already replaced. Create a new key or reissue this one.',
    });
  }
}

export class KeyNotReissuable extends Problem {
  constructor() {
    super({
      code: 'key_not_reissuable',
      status: 409,
      detail:
        'Only a revoked or expired key can be reissued, and only once. Rotate an active key instead.',
    });
  }
}
