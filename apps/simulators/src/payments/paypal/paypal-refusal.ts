export class PaypalRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly issue: string | undefined,
    message: string,
  ) {
    super(message);
  }

  static missing(): PaypalRefusal {
    const message = 'The specified resource does not exist.';
    return new PaypalRefusal(404, 'RESOURCE_NOT_FOUND', 'INVALID_RESOURCE_ID', message);
  }

  static unprocessable(issue: string, message: string): PaypalRefusal {
    return new PaypalRefusal(422, 'UNPROCESSABLE_ENTITY', issue, message);
  }

  static zero(): PaypalRefusal {
    return PaypalRefusal.unprocessable(
      'CANNOT_BE_ZERO_OR_NEGATIVE',
      'Must be greater than zero. If the currency supports decimals, only two decimal place precision is supported.',
    );
  }

  static invalid(issue: string, message: string): PaypalRefusal {
    return new PaypalRefusal(400, 'INVALID_REQUEST', issue, message);
  }

  static incomplete(): PaypalRefusal {
    return PaypalRefusal.invalid('MISSING_REQUIRED_PARAMETER', 'A required field is missing.');
  }

  toBody(): object {
    const { code: name, issue, message } = this;
    const details = issue === undefined ? [] : [{ issue, description: message }];
    return { name, message, debug_id: 'simulated', details };
  }
}
