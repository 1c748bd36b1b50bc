import { Problem } from '#libs/platform';

export class ReauthenticationRequired extends Problem {
  constructor() {
    super({
      code: 'reauthentication_required',
      status: 403,
      detail:
        'Enter your password again. This action requires a log-in within the last 10 minutes.',
    });
  }
}

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
