import { IsBoolean, IsIn, IsString, Length, MaxLength } from 'class-validator';
import { NestedList, OptionalText } from '../../members.js';
import { LogInAnswer } from '../account/sessions.js';
import { MayBeAbsent } from '../account/text-rules.js';
import { FOR_VISITORS, dashboardCall, idOf } from '../dashboard-call.js';
import { oneOf } from '../kinds.js';
import { defineOperation } from '../operation.js';

export const PROVIDER_NAMES = { google: 'Google', github: 'GitHub' } as const;
export type Provider = keyof typeof PROVIDER_NAMES;
export const PROVIDERS = Object.keys(PROVIDER_NAMES) as Provider[];

export class ProvidersAnswer {
  /** The providers that people can use to log in to this installation. */
  @IsIn(PROVIDERS, { each: true })
  providers: Provider[];
}

export class AskProviderRequest {
  /** The page to open after the log-in. */
  @MayBeAbsent()
  @IsString()
  @MaxLength(1_000)
  to?: string;
}

export class AskProviderAnswer {
  /** The provider's page that asks for the user's consent. */
  @IsString()
  url: string;
}

export class ProviderReturnRequest {
  /** The query that the provider added to the return address, including the question mark. */
  @IsString()
  @Length(1, 4_000)
  query: string;
}

/** A session, a new account with its keys, or the next step of the log-in. */
export class ProviderReturnAnswer extends LogInAnswer {
  /** The page to open next. */
  @OptionalText()
  to?: string;

  /** Set if the address has an account: logging in to that account connects the provider. */
  @OptionalText()
  connects?: string;

  /** Keys of a new account; shown only once. */
  @OptionalText()
  key?: string;

  @OptionalText()
  test_key?: string;
}

export class ListedIdentity {
  @IsString()
  id: string;

  @IsIn(PROVIDERS)
  provider: Provider;

  /** The address at the provider at the time of the connection. */
  @IsString()
  address: string;

  @IsString()
  created_at: string;

  @IsString()
  last_used_at: string;
}

export class IdentitiesAnswer {
  /** Whether it is also possible to log in with a password. */
  @IsBoolean()
  has_password: boolean;

  @IsIn(PROVIDERS, { each: true })
  offered: Provider[];

  @NestedList(() => ListedIdentity)
  identities: ListedIdentity[];
}

export class IdentityRemovedAnswer {
  @IsBoolean()
  removed: true;
}

const ID = '019a5f00-0000-7000-8000-000000000004';
const PROVIDER = {
  provider: { kind: oneOf(PROVIDERS), about: 'The provider', example: 'google', in: 'path' },
} as const;
const URL_EXAMPLE = { url: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=…' };

export const LOG_IN_PROVIDERS = defineOperation({
  ...dashboardCall('account', 'GET /api/log-in/providers'),
  name: 'session.providers',
  summary: 'The providers with which people can log in instead of with a password',
  access: FOR_VISITORS,
  answers: [{ type: 'application/json', of: ProvidersAnswer }],
  problems: [],
  examples: [{ title: 'Both', parameters: {}, answer: { providers: ['google', 'github'] } }],
});

export const LOG_IN_PROVIDER = defineOperation({
  ...dashboardCall('account', 'POST /api/log-in/providers/{provider}'),
  name: 'session.ask-provider',
  summary: 'Starts a log-in with a provider',
  access: FOR_VISITORS,
  parameters: PROVIDER,
  body: { of: AskProviderRequest, limitBytes: 4_096, example: { to: '/keys' } },
  answers: [{ type: 'application/json', of: AskProviderAnswer }],
  problems: ['not_found', 'provider_refused', 'too_many_attempts'],
  examples: [{ title: 'Google', parameters: { provider: 'google' }, answer: URL_EXAMPLE }],
});

export const PROVIDER_RETURN = defineOperation({
  ...dashboardCall('account', 'POST /api/log-in/return'),
  name: 'session.provider-return',
  summary: 'Completes a log-in or a connection with a provider, in the browser that started it',
  access: FOR_VISITORS,
  body: {
    of: ProviderReturnRequest,
    limitBytes: 8_192,
    example: { query: '?code=from-the-provider&state=from-us' },
  },
  answers: [{ type: 'application/json', of: ProviderReturnAnswer }],
  problems: [
    'log_in_over',
    'not_found',
    'not_logged_in',
    'account_deleted',
    'provider_refused',
    'provider_address_not_verified',
    'identity_taken',
    'too_many_attempts',
  ],
  examples: [
    {
      title: 'The address has an account',
      parameters: {},
      answer: { connects: 'ada@example.com' },
    },
  ],
});

export const IDENTITIES = defineOperation({
  ...dashboardCall('account', 'GET /api/identities'),
  name: 'identity.list',
  summary: 'The providers that are connected to the account',
  answers: [{ type: 'application/json', of: IdentitiesAnswer }],
  problems: [],
  examples: [
    {
      title: 'Google',
      parameters: {},
      answer: {
        has_password: true,
        offered: ['google'],
        identities: [
          {
            id: ID,
            provider: 'google',
            address: 'ada@example.com',
            created_at: '2026-11-23T10:00:00.000Z',
            last_used_at: '2026-11-23T10:00:00.000Z',
          },
        ],
      },
    },
  ],
});

export const IDENTITY_CONNECT = defineOperation({
  ...dashboardCall('account', 'POST /api/identities/{provider}'),
  name: 'identity.connect',
  summary: 'Starts to connect a provider to the account',
  access: { kind: 'session', needsReauthentication: true, isPaced: true },
  parameters: PROVIDER,
  answers: [{ type: 'application/json', of: AskProviderAnswer }],
  problems: ['not_found', 'provider_refused'],
  examples: [{ title: 'Google', parameters: { provider: 'google' }, answer: URL_EXAMPLE }],
});

export const IDENTITY_REMOVE = defineOperation({
  ...dashboardCall('account', 'DELETE /api/identities/{id}'),
  name: 'identity.remove',
  summary: 'Disconnects a provider from the account',
  access: { kind: 'session', needsReauthentication: true },
  parameters: idOf('identity', ID),
  answers: [{ type: 'application/json', of: IdentityRemovedAnswer }],
  problems: ['not_found', 'last_way_in'],
  examples: [{ title: 'Google', parameters: { id: ID }, answer: { removed: true } }],
});
