import { IsBoolean } from 'class-validator';
import { text } from '../kinds.js';
import { defineOperation } from '../operation.js';

/** The answer to a callback; a processor reads only the status. */
export class CallbackAnswer {
  @IsBoolean()
  received: boolean;
}

export const CALLBACK = defineOperation({
  name: 'callbacks.receive',
  summary: 'A callback of a payment processor, signed over its raw bytes',
  method: 'POST',
  routes: [{ path: '/callbacks/{processor}', version: 2 }],
  access: {
    kind: 'signed',
    headers: ['stripe-signature', 'paypal-transmission-sig'],
    unsigned: {
      code: 'callback_rejected',
      status: 400,
      detail: 'This callback has no signature of a payment processor. It was not read.',
      members: { reason: 'unsigned' },
    },
  },
  owner: { service: 'billing', path: '/internal/callbacks/{processor}' },
  parameters: {
    processor: {
      kind: text(20, { pattern: /^[a-z]+$/, rule: 'must be the name of a processor' }),
      about: 'The processor that sends the callback',
      example: 'stripe',
      in: 'path',
    },
  },
  answers: [{ type: 'application/json', of: CallbackAnswer }],
  price: { per: 'free' },
  problems: ['callback_rejected', 'not_found', 'unsupported_media_type', 'callback_not_checked'],
  examples: [
    { title: 'A callback', parameters: { processor: 'stripe' }, answer: { received: true } },
  ],
});
