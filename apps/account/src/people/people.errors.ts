import { Problem } from '#libs/platform';

/** The same answer for a wrong address, a wrong password and an erased account (S24). */
export class WrongCredentials extends Problem {
  /** @param detail for cases in which the address is known, because a logged-in user sent only a password. */
  constructor(detail = 'The e-mail address or password is wrong.') {
    super({ code: 'wrong_credentials', status: 401, detail });
  }
}
