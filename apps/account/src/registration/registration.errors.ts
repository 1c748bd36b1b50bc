import { Problem } from '#libs/platform';

/**
 * A rejection of a password that differs from the one chosen at sign-up. A stranger may have signed up, so the person
 * who follows the link may not know the chosen password.
 */
export class NotTheSignUpPassword extends Problem {
  constructor() {
    super({
      code: 'wrong_credentials',
      status: 401,
      detail:
        'This is not the password that was chosen at sign-up. If you forgot that password, or someone else signed up with your address, choose to make this your password.',
    });
  }
}

export class LinkInvalid extends Problem {
  constructor() {
    super({
      code: 'link_invalid',
      status: 410,
      detail: 'This link was already used, has expired or is incomplete.',
    });
  }
}
