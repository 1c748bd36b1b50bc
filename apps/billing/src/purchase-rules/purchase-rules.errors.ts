import { Problem, counted } from '#libs/platform';

export class SubscriptionExists extends Problem {
  constructor(subscriptionId: string) {
    super({
      code: 'subscription_exists',
      status: 409,
      detail:
        'You already have a subscription of this kind. Change its plan or undo its cancellation instead of buying another.',
      members: { subscription_id: subscriptionId },
    });
  }
}

export class BaseMissing extends Problem {
  constructor() {
    super({
      code: 'base_missing',
      status: 409,
      detail:
        'The rate-limit add-on extends a credit package or an API plan. Buy one of these first.',
    });
  }
}

export class DebtOpen extends Problem {
  /** @param credits the number of used credits whose payment was reversed. */
  constructor(credits: string) {
    super({
      code: 'debt_open',
      status: 409,
      detail: `A payment through this processor was reversed, and you still owe ${counted(BigInt(credits), 'used credit')}. Buy through another processor: the new credits repay them first.`,
    });
  }
}
