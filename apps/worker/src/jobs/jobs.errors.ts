import { InvalidRequest, Problem } from '#libs/platform';

export class JobShortOfCredits extends Problem {
  /** @param shortfall credits that the account lacks. */
  constructor(price: number, shortfall: number) {
    super({
      code: 'insufficient_credits',
      status: 402,
      detail: `The job costs up to ${price} credits, and the account lacks ${shortfall} of them. Nothing was started or charged.`,
      members: { price, shortfall },
    });
  }
}

export class JobCreditsBusy extends Problem {
  constructor() {
    super({
      code: 'credits_busy',
      status: 503,
      detail: 'The credits are set aside elsewhere at the moment. Nothing was charged. Try again.',
      retryAfterSeconds: 1,
    });
  }
}

export class NamesTwice extends InvalidRequest {
  constructor() {
    super([{ field: 'upload_id', message: 'stands in the place of domainNames, not beside it' }]);
  }
}

export class NoValidNames extends Problem {
  constructor() {
    super({
      code: 'no_valid_names',
      status: 422,
      detail: 'None of the texts is a domain name. Nothing was started or charged.',
    });
  }
}

export class TooManyJobs extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_jobs',
      status: 409,
      detail: `An account may have ${max} jobs under way. Wait until one ends, or cancel one.`,
    });
  }
}

export class JobNotReady extends Problem {
  constructor() {
    super({
      code: 'job_not_ready',
      status: 409,
      detail: 'The job is not done; its results can be downloaded when it is.',
      retryable: true,
    });
  }
}

export class JobOver extends Problem {
  constructor() {
    super({
      code: 'job_over',
      status: 409,
      detail: 'The job is over, or about to end; it cannot be cancelled any more.',
    });
  }
}

export class JobExpired extends Problem {
  constructor() {
    super({
      code: 'job_expired',
      status: 410,
      detail: 'The results were kept for 30 days, and are gone.',
    });
  }
}
