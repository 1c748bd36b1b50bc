import { Problem } from '#libs/platform';

export class AccountDeletedHere extends Problem {
  constructor() {
    super({
      code: 'account_deleted',
      status: 403,
      detail: 'This account is deleted. Restore it first.',
    });
  }
}

export class AccountSuspendedHere extends Problem {
  constructor() {
    super({
      code: 'account_suspended',
      status: 403,
      detail: 'This account is suspended. The dashboard shows why.',
    });
  }
}
