import { IsIn, IsString } from 'class-validator';
import { IN_ANY_STATE, dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { IsKnownPassword, MayBeAbsent } from './text-rules.js';

export class DeleteAccountRequest {
  /** The password; required unless the owner logged in or entered it within the last 10 minutes. */
  @MayBeAbsent()
  @IsKnownPassword()
  password?: string;
}

export class AccountDeletionAnswer {
  @IsString()
  restorable_until: string;

  /** Sentences that explain the consequences now and later. */
  @IsString({ each: true })
  consequences: string[];
}

export class AccountRestoredAnswer {
  @IsIn(['active'])
  account_state: 'active';
}

export const ACCOUNT_DELETE = defineOperation({
  ...dashboardCall('account', 'POST /api/account/delete'),
  name: 'account.delete',
  summary: 'Deletes the account; for 90 days it can be restored',
  body: {
    of: DeleteAccountRequest,
    limitBytes: 4_096,
    example: { password: 'a sentence is fine' },
  },
  answers: [{ type: 'application/json', of: AccountDeletionAnswer }],
  problems: ['reauthentication_required', 'wrong_credentials', 'too_many_attempts'],
  examples: [
    {
      title: 'A deleted account',
      parameters: {},
      answer: {
        restorable_until: '2027-02-18T10:00:00.000Z',
        consequences: ['All API keys are revoked and all sessions end at once.'],
      },
    },
  ],
});

export const ACCOUNT_RESTORE = defineOperation({
  ...dashboardCall('account', 'POST /api/account/restore'),
  name: 'account.restore',
  summary: 'Restores a deleted account; its keys stay revoked',
  access: IN_ANY_STATE,
  answers: [{ type: 'application/json', of: AccountRestoredAnswer }],
  problems: ['restore_too_late'],
  examples: [{ title: 'A restored account', parameters: {}, answer: { account_state: 'active' } }],
});
