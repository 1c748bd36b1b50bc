import { Problem } from '#libs/platform';

export class BillingDetailsMissing extends Problem {
  constructor() {
    super({
      code: 'billing_details_missing',
      status: 409,
      detail: 'The tax on this order depends on your country. Enter your billing details first.',
    });
  }
}
