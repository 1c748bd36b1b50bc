import { Problem } from '#libs/platform';

export class InvoiceDataDestroyed extends Problem {
  constructor() {
    super({
      code: 'invoice_data_destroyed',
      status: 410,
      detail:
        'This invoice need not be kept any longer: its PDF and whom it was for are destroyed.',
    });
  }
}
