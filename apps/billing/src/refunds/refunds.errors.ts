import { Problem } from '#libs/platform';

export class NothingToRefund extends Problem {
  constructor(detail: string) {
    super({ code: 'nothing_to_refund', status: 409, detail });
  }
}

export class RefundRefused extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'refund_refused',
        status: 422,
        detail: 'The payment processor refused this refund. No money was moved.',
      },
      { cause },
    );
  }
}
