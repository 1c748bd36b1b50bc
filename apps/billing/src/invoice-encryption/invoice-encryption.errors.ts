import { Problem } from '#libs/platform';

export class InvoiceDataDestroyed extends Problem {
  constructor() {
    super({
      code: 'invoice_data_destroyed',
      status: 410,
      detail:
        'The retention period of this invoice is over, so its PDF and billing details were destroyed.',
    });
  }
}
