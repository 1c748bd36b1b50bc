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

export class TooManyOpenOrders extends Problem {
  constructor(limit: number) {
    super({
      code: 'too_many_open_orders',
      status: 409,
      detail: `You have ${limit} unpaid orders. Pay or drop one of them, or wait: each closes an hour after it was placed.`,
    });
  }
}

export class TooManyBegunOrders extends Problem {
  constructor(limit: number) {
    super({
      code: 'too_many_open_orders',
      status: 409,
      detail: `You have placed ${limit} orders within an hour without paying for them. Try again in an hour.`,
    });
  }
}
