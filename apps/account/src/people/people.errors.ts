import { Problem } from '#libs/platform';

/** A rejection that is the same for a wrong address, a wrong password and an erased account (S24). */
export class WrongCredentials extends Problem {
  /** @param detail the text for a logged-in user, who has sent only a password. */
  constructor(detail = 'The e-mail address or password is wrong.') {
    super({ code: 'wrong_credentials', status: 401, detail });
  }
}
