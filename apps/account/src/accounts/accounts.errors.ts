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
