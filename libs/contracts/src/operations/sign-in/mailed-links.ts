import { IsIn } from 'class-validator';
import { FOR_VISITORS, dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { IsLinkToken } from '../account/text-rules.js';

const LINK_KINDS = ['sign_up', 'password_reset', 'address_change'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

export class CheckLinkRequest {
  @IsIn(LINK_KINDS)
  kind: LinkKind;

  @IsLinkToken()
  token: string;
}

export class CheckLinkAnswer {
  @IsIn(['open'])
  status: 'open';
}

export const LINK_CHECK = defineOperation({
  ...dashboardCall('account', 'POST /api/links/check'),
  name: 'links.check',
  access: FOR_VISITORS,
  summary: 'Tells whether a link from an e-mail is still valid, without using it',
  body: {
    of: CheckLinkRequest,
    limitBytes: 4_096,
    example: { kind: 'sign_up', token: 'from-the-mail' },
  },
  answers: [{ type: 'application/json', of: CheckLinkAnswer }],
  problems: ['link_invalid', 'too_many_attempts'],
  examples: [{ title: 'A link that works', parameters: {}, answer: { status: 'open' } }],
});
