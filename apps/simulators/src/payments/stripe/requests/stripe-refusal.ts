type RefusalType = 'invalid_request_error' | 'idempotency_error' | 'api_error' | 'card_error';

export class StripeRefusal extends Error {
  constructor(
    readonly status: number,
    readonly type: RefusalType,
    /** Stripe's error code; some refusals have none. */
    readonly code: string | undefined,
    message: string,
    readonly param?: string,
  ) {
    super(message);
  }

  static missing(what: string, id: string): StripeRefusal {
    const message = `No such ${what}: '${id}'`;
    return new StripeRefusal(404, 'invalid_request_error', 'resource_missing', message, 'id');
  }

  /**
   * Creates the refusal of a parameter that names a missing object. (A path that names a missing object gets 404
   * instead.)
   */
  static missingReference(what: string, id: string, param: string): StripeRefusal {
    return StripeRefusal.invalid('resource_missing', `No such ${what}: '${id}'`, param);
  }

  static invalid(code: string | undefined, message: string, param?: string): StripeRefusal {
    return new StripeRefusal(400, 'invalid_request_error', code, message, param);
  }

  toBody(): object {
    const { type, code, message, param } = this;
    return { error: { type, code, message, param } };
  }
}
