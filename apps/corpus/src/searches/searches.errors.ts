import { Problem } from '#libs/platform';

const RETRY_AFTER_SECONDS = 5;

export class SearchTooHeavy extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'search_too_heavy',
        status: 503,
        detail:
          'The search took too long and was stopped. Search for a longer or less common text. Nothing was charged.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
      { cause },
    );
  }
}

export class InvalidDomainName extends Problem {
  constructor(message: string) {
    super({
      code: 'invalid_domain_name',
      status: 400,
      detail: message,
      errors: [{ field: 'domainName', message }],
    });
  }
}
