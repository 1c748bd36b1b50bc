import { Problem } from '#libs/platform';

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
