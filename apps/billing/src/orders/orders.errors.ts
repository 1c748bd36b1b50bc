import { Problem } from '#libs/platform';

export class CheckoutRefused extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'checkout_refused',
        status: 422,
        detail: 'The payment processor refused this checkout. Nothing was charged.',
      },
      { cause },
    );
  }
}
