import { Problem } from '#libs/platform';

export class AccountIsDeleted extends Problem {
  constructor(restoreUntil: Date) {
    super({
      code: 'account_deleted',
      status: 403,
      detail: `This account was deleted. Its owner can restore it until ${restoreUntil.toISOString()}.`,
      members: { restorable_until: restoreUntil.toISOString() },
    });
  }
}

export class RestoreTooLate extends Problem {
  constructor() {
    super({
      code: 'restore_too_late',
      status: 410,
      detail: 'This account was deleted more than 90 days ago and can no longer be restored.',
    });
  }
}
