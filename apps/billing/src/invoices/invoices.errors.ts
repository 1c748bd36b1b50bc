import { Problem } from '#libs/platform';

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
