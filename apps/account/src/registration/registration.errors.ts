import { Problem } from '#libs/platform';

/** Who follows the link did not choose the password: it may have been a stranger who signed up. */
export class NotTheSignUpPassword extends Problem {
  constructor() {
    super({
      code: 'wrong_credentials',
      status: 401,
      detail:
        'This is not the password that was chosen at sign-up. If you did not sign up, somebody else used your address: nothing has happened, and you can sign up yourself.',
    });
  }
}

export class LinkInvalid extends Problem {
  constructor() {
    super({
      code: 'link_invalid',
      status: 410,
      detail: 'This link is incomplete, has expired or was already used. Request a new one.',
    });
  }
}
