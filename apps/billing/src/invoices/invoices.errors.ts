import { HOUR_MS, Problem, SECOND_MS } from '#libs/platform';

export class InvoiceNotPrinted extends Problem {
  constructor() {
    super({
      code: 'invoice_not_printed',
      status: 503,
      detail: 'This invoice is being prepared. Try again in a moment.',
      retryAfterSeconds: 2,
    });
  }
}

export class TooManyRevisions extends Problem {
  constructor(revisionsMax: number) {
    super({
      code: 'too_many_revisions',
      status: 429,
      detail: `You can print at most ${revisionsMax} invoices again within 24 hours.`,
      retryAfterSeconds: HOUR_MS / SECOND_MS,
    });
  }
}
