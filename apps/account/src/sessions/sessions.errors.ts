import { Problem } from '#libs/platform';

/** One answer for a wrong address, a wrong password and an erased account (S24). */
export class WrongCredentials extends Problem {
  constructor() {
    super({
      code: 'wrong_credentials',
      status: 401,
      detail: 'The e-mail address or password is wrong.',
    });
  }
}
