import { Problem } from '#libs/platform';

/** A rejection of a passkey. The answer is the same for every reason. */
export class PasskeyRefused extends Problem {
  constructor(cause?: unknown) {
    super(
      {
        code: 'passkey_refused',
        status: 401,
        detail: 'That passkey was not accepted. Nothing was changed.',
      },
      { cause },
    );
  }
}

export class TooManyPasskeys extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_passkeys',
      status: 409,
      detail: `The account already has ${max} passkeys, which is the limit. Remove one first.`,
    });
  }
}
