import { Problem } from '#libs/platform';

export class PlanNotChangeable extends Problem {
  constructor(detail: string) {
    super({ code: 'plan_not_changeable', status: 409, detail });
  }
}

export class PeriodNotPaid extends Problem {
  constructor() {
    super({
      code: 'period_not_paid',
      status: 409,
      detail:
        'The current billing period is not paid yet. If its payment failed, update your payment details; otherwise, try again in an hour.',
    });
  }
}

export class ChangeRefused extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'change_refused',
        status: 422,
        detail: 'The payment processor refused this change. Nothing was charged.',
      },
      { cause },
    );
  }
}
