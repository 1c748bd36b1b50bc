import { Problem } from '#libs/platform';

/** A rejection that is the same for a wrong code, a used code and an unknown recovery code. */
export class WrongCode extends Problem {
  constructor() {
    super({
      code: 'wrong_code',
      status: 401,
      detail: 'The code is wrong or was used before. Wait for the next code in the app.',
    });
  }
}

export class SecondFactorOn extends Problem {
  constructor() {
    super({
      code: 'second_factor_on',
      status: 409,
      detail: 'An authenticator app is already set up. Remove it first.',
    });
  }
}

export class SecondFactorOff extends Problem {
  constructor() {
    super({
      code: 'second_factor_off',
      status: 409,
      detail: 'No authenticator app is in use or being set up. Start again.',
    });
  }
}
