import { Problem } from '#libs/platform';

/** The provider said no, said something that does not hold, or was not reached; the log has the cause. */
export class ProviderRefused extends Problem {
  constructor(cause?: unknown) {
    super(
      {
        code: 'provider_refused',
        status: 403,
        detail: 'The other service did not confirm who you are. Nothing was changed.',
      },
      { cause },
    );
  }
}

export class ProviderAddressNotVerified extends Problem {
  constructor() {
    super({
      code: 'provider_address_not_verified',
      status: 403,
      detail: 'The other service has no verified e-mail address of yours. Verify it there first.',
    });
  }
}

export class IdentityTaken extends Problem {
  constructor() {
    super({
      code: 'identity_taken',
      status: 409,
      detail: 'This log-in is connected with an account already.',
    });
  }
}

export class LastWayIn extends Problem {
  constructor() {
    super({
      code: 'last_way_in',
      status: 409,
      detail: 'Nothing else opens this account. Set a password first: ask for a link to set one.',
    });
  }
}
