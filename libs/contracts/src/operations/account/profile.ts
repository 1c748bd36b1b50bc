import { IsEmailAddress } from '#libs/domain-names';
import { IsIn, IsString } from 'class-validator';
import { FOR_VISITORS, dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { IsFirstName, IsLinkToken } from './text-rules.js';

export class UpdateProfileRequest {
  @IsFirstName()
  first_name: string;
}

export class ProfileAnswer {
  @IsString()
  id: string;

  @IsIn(['active', 'deleted'])
  state: string;

  @IsString()
  first_name: string;

  @IsString()
  email: string;

  @IsString()
  created_at: string;
}

export class ChangeAddressRequest {
  @IsEmailAddress()
  email: string;
}

export class ChangeAddressAnswer {
  @IsIn(['confirmation_sent'])
  status: 'confirmation_sent';
}

export class ConfirmAddressRequest {
  @IsLinkToken()
  token: string;
}

export class AddressChangedAnswer {
  @IsIn(['address_changed'])
  status: 'address_changed';
}

const ADA = {
  title: 'A profile',
  parameters: {},
  answer: {
    id: '019a5f00-0000-7000-8000-000000000001',
    state: 'active',
    first_name: 'Ada',
    email: 'ada@example.com',
    created_at: '2026-11-20T10:00:00.000Z',
  },
};

export const PROFILE = defineOperation({
  ...dashboardCall('account', 'GET /api/account'),
  name: 'profile.read',
  summary: 'The profile of the account owner',
  answers: [{ type: 'application/json', of: ProfileAnswer }],
  problems: [],
  examples: [ADA],
});

export const PROFILE_UPDATE = defineOperation({
  ...dashboardCall('account', 'PATCH /api/account'),
  name: 'profile.update',
  access: { kind: 'session', isPaced: true },
  summary: 'Changes the name',
  body: { of: UpdateProfileRequest, limitBytes: 4_096, example: { first_name: 'Ada' } },
  answers: [{ type: 'application/json', of: ProfileAnswer }],
  problems: [],
  examples: [ADA],
});

export const ADDRESS_CHANGE = defineOperation({
  ...dashboardCall('account', 'POST /api/account/email'),
  name: 'address.change',
  summary: 'Sends a confirmation link to a new e-mail address',
  access: { kind: 'session', needsReauthentication: true },
  body: { of: ChangeAddressRequest, limitBytes: 4_096, example: { email: 'ada@example.org' } },
  answers: [{ type: 'application/json', of: ChangeAddressAnswer, status: 202 }],
  problems: ['too_many_attempts'],
  examples: [{ title: 'A new address', parameters: {}, answer: { status: 'confirmation_sent' } }],
});

export const ADDRESS_CONFIRM = defineOperation({
  ...dashboardCall('account', 'POST /api/account/email/confirm'),
  name: 'address.confirm',
  summary: 'Confirms the new e-mail address and notifies the old address',
  access: FOR_VISITORS,
  body: { of: ConfirmAddressRequest, limitBytes: 4_096, example: { token: 'from-the-mail' } },
  answers: [{ type: 'application/json', of: AddressChangedAnswer }],
  problems: ['link_invalid', 'account_deleted', 'too_many_attempts'],
  examples: [{ title: 'A valid link', parameters: {}, answer: { status: 'address_changed' } }],
});
