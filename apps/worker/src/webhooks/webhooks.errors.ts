import { Problem } from '#libs/platform';

export class TooManyWebhooks extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_webhooks',
      status: 409,
      detail: `An account can have at most ${max} webhooks. Remove one first.`,
    });
  }
}

export class TooManyWebhooksADay extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_webhooks',
      status: 409,
      detail: `Within a day, an account can create at most ${max} webhooks, including removed ones. Change one, or try again tomorrow.`,
    });
  }
}

export class WebhookNotActive extends Problem {
  constructor() {
    super({
      code: 'webhook_not_active',
      status: 409,
      detail: 'The webhook is paused or disabled. Set its state to "active" first.',
    });
  }
}
