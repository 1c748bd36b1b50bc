import { Problem } from '#libs/platform';

/** Thrown if the provider refused, sent an invalid statement, or could not be reached; the cause is in the log. */
export class ProviderRefused extends Problem {
  constructor(cause?: unknown) {
    super(
      {
        code: 'provider_refused',
        status: 403,
        detail: 'The provider did not confirm who you are. Nothing was changed.',
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
      detail: 'Your account at the provider has no verified e-mail address. Verify it there first.',
    });
  }
}

export class IdentityTaken extends Problem {
  constructor() {
    super({
      code: 'identity_taken',
      status: 409,
      detail: 'This log-in is already connected to an account.',
    });
  }
}

export class LastWayIn extends Problem {
  constructor() {
    super({
      code: 'last_way_in',
      status: 409,
      detail:
        'This is the only way to log in to this account. Request a link to set a password first.',
    });
  }
}
