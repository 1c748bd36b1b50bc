import { InvalidRequest, Problem, counted } from '#libs/platform';

export class JobShortOfCredits extends Problem {
  constructor(price: number, shortfall: number) {
    super({
      code: 'insufficient_credits',
      status: 402,
      detail: `The job costs up to ${counted(price, 'credit')}, and your account lacks ${counted(shortfall, 'credit')}. No job was started, and nothing was charged.`,
      members: { price, shortfall },
    });
  }
}

export class JobCreditsBusy extends Problem {
  constructor() {
    super({
      code: 'credits_busy',
      status: 503,
      detail:
        'The credits are held for other requests at the moment. Nothing was charged. Try again.',
      retryAfterSeconds: 1,
    });
  }
}

export class NamesTwice extends InvalidRequest {
  constructor() {
    super([{ field: 'upload_id', message: 'cannot be given together with "domainNames"' }]);
  }
}

export class NoValidNames extends Problem {
  constructor() {
    super({
      code: 'no_valid_names',
      status: 422,
      detail: 'None of the strings is a domain name. No job was started, and nothing was charged.',
    });
  }
}

export class TooManyJobs extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_jobs',
      status: 409,
      detail: `An account can have at most ${max} jobs in progress. Wait until one ends, or cancel one.`,
    });
  }
}

export class TooManyUnchargedJobs extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_jobs',
      status: 409,
      detail: `Within a day, an account can start at most ${max} jobs that charge nothing, because none of their names is answered or has a price. Try again later.`,
    });
  }
}

export class TooManyFreeLines extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_jobs',
      status: 409,
      detail: `Within 30 days, the jobs of an account can have at most ${max.toLocaleString('en')} lines that cost nothing, because they are rejected, repeat a name or have no price; for each name that a job charges, ten of its lines do not count. Remove such lines from your file, or try again later.`,
    });
  }
}

export class TooManyFailedNames extends Problem {
  constructor(max: number) {
    super({
      code: 'too_many_jobs',
      status: 409,
      detail: `Within 30 days, the jobs of an account can have at most ${max.toLocaleString('en')} unanswered names; in each job, every charged name offsets one. Remove names that fail from your file, or try again later.`,
    });
  }
}

export class JobNotReady extends Problem {
  constructor() {
    super({
      code: 'job_not_ready',
      status: 409,
      detail: 'The job is not finished. You can download its results when it is.',
      retryable: true,
    });
  }
}

export class JobOver extends Problem {
  constructor() {
    super({
      code: 'job_over',
      status: 409,
      detail: 'The job has ended or is about to end, so it can no longer be cancelled.',
    });
  }
}

export class JobExpired extends Problem {
  constructor() {
    super({
      code: 'job_expired',
      status: 410,
      detail: 'The results were deleted after 30 days.',
    });
  }
}
