import { IsBoolean } from 'class-validator';
import { defineOperation } from '../operation.js';

/** The answer to a report; GitHub reads only the status. */
export class LeakedKeysAnswer {
  @IsBoolean()
  received: boolean;
}

export const LEAKED_KEYS = defineOperation({
  name: 'leaked-keys.report',
  summary:
    'A report of GitHub’s secret scanning about published API keys, signed over its raw bytes',
  method: 'POST',
  routes: [{ path: '/secret-scanning', version: 2 }],
  access: {
    kind: 'signed',
    headers: ['github-public-key-signature'],
    unsigned: {
      code: 'report_rejected',
      status: 401,
      detail: 'This report has no signature of GitHub. It was not read.',
    },
  },
  owner: { service: 'account', path: '/internal/leaked-keys' },
  parameters: {},
  answers: [{ type: 'application/json', of: LeakedKeysAnswer }],
  price: { per: 'free' },
  problems: ['report_rejected', 'not_found', 'unsupported_media_type', 'service_unavailable'],
  examples: [{ title: 'A report', parameters: {}, answer: { received: true } }],
});
