/** A refusal in the form of Stripe's API. */
export class StripeRefusal extends Error {
  constructor(
    readonly status: number,
    readonly type: 'invalid_request_error' | 'idempotency_error' | 'api_error' | 'card_error',
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  static missing(what: string, id: string): StripeRefusal {
    const message = `No such ${what}: '${id}'`;
    return new StripeRefusal(404, 'invalid_request_error', 'resource_missing', message);
  }

  static invalid(code: string, message: string): StripeRefusal {
    return new StripeRefusal(400, 'invalid_request_error', code, message);
  }

  toBody(): object {
    const { type, code, message } = this;
    return { error: { type, code, message } };
  }
}
