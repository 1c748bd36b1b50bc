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
        'The running period is not paid yet. Update your payment details first; then the plan can be changed.',
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
