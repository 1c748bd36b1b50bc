import { KEYS_SCOPE } from '#libs/contracts';
import { Problem } from '#libs/platform';

/** The calling key has lost the scope since the gateway last read its rights. */
export class KeysScopeDenied extends Problem {
  constructor() {
    super({
      code: 'scope_denied',
      status: 403,
      detail: `This operation needs the scope "${KEYS_SCOPE}", which the key does not have.`,
      members: { scope: KEYS_SCOPE },
    });
  }
}

/** The calling key was revoked, expired or replaced since the gateway last read its state. */
export class CallingKeyNotActive extends Problem {
  constructor() {
    super({
      code: 'key_not_active',
      status: 409,
      detail:
        'The calling key is revoked, expired or already replaced, so it can no longer create, rotate or revoke keys.',
    });
  }
}

export class KeyRightsExceeded extends Problem {
  /** @param reason a sentence without a full stop. */
  constructor(reason: string) {
    super({ code: 'key_rights_exceeded', status: 403, detail: `${reason}. Nothing was changed.` });
  }
}
