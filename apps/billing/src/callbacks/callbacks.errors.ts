import { Problem } from '#libs/platform';
import type { CallbackRejection, ProcessorName } from '../processors/payment-processor.js';

export class CallbackRejected extends Problem {
  constructor(
    readonly processor: ProcessorName,
    readonly reason: CallbackRejection,
  ) {
    super({
      code: 'callback_rejected',
      status: 400,
      detail:
        'This callback did not come from the payment processor, or it is too old. Nothing was changed.',
      members: { reason },
    });
  }
}

export class CallbackNotChecked extends Problem {
  constructor(cause: unknown) {
    super(
      {
        code: 'callback_not_checked',
        status: 503,
        detail: 'This callback cannot be checked at the moment. Send it again later.',
      },
      { cause },
    );
  }
}
