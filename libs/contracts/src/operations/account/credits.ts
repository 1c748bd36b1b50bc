import { IsBoolean, IsIn, IsInt, IsISO8601, IsOptional, IsString } from 'class-validator';
import { IsCount, Nested, NestedList, NullableTime, OptionalText } from '../../members.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { Paging, onePage } from '../paging/paging-answer.js';

/** Credits of an account at this moment. */
export class CreditsBalance {
  /** The credits that can still be used: `spendable` and `leased`. `X-Credits-Remaining` has the same value. */
  @IsCount()
  remaining: number;

  @IsCount()
  spendable: number;

  /** Credits reserved for requests and jobs that have not used them yet. */
  @IsCount()
  leased: number;

  /** Credits used within the last few minutes that are not in the ledger yet. */
  @IsCount()
  pending: number;

  /** Credits of a deleted account; restoring the account returns them. */
  @IsCount()
  frozen: number;

  /** Credits that were used and then taken back by a refund or dispute; bought credits repay them first. */
  @IsCount()
  debt: number;
}

export const CREDIT_SOURCES = ['trial', 'package', 'subscription', 'release', 'operator'] as const;
export type CreditSource = (typeof CREDIT_SOURCES)[number];

/** The credits from one source. The five amounts from `available` on add up to `granted`. */
export class GrantAmounts {
  @IsString()
  id: string;

  @IsInt()
  granted: number;

  @IsInt()
  available: number;

  /** Leased or pending. */
  @IsInt()
  reserved: number;

  @IsInt()
  consumed: number;

  @IsInt()
  expired: number;

  @IsInt()
  revoked: number;

  /** Null if the credits never expire. */
  @NullableTime()
  expires_at: string | null;
}

export class CreditGrant extends GrantAmounts {
  @IsIn(CREDIT_SOURCES)
  source: CreditSource;
}

export const LEDGER_KINDS = ['grant', 'use', 'expiry', 'refund'] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** One line of the ledger. */
export class CreditsLedgerLine {
  @IsString()
  id: string;

  /** RFC 3339; for usage, the start of its day. */
  @IsISO8601()
  at: string;

  /** `refund`: credits taken back by a refund or dispute, or returned because the refund or dispute failed. */
  @IsIn(LEDGER_KINDS)
  kind: LedgerKind;

  /** Credits, negative if they were taken away; never 0. */
  @IsInt()
  amount: number;

  /**
   * The credits after this line: the sum of it and of all older lines. Absent on a page whose cursor is of an earlier
   * release.
   */
  @IsOptional()
  @IsInt()
  balance?: number;

  /** The source of the credits, such as `package:…`; absent for usage. */
  @OptionalText()
  reference?: string;

  /** The operation that used the credits; absent for other kinds. */
  @OptionalText()
  operation?: string;

  /** The path that lists the requests of this day and operation; absent for other kinds. */
  @OptionalText()
  requests?: string;
}

export class CreditsAnswer {
  @IsBoolean()
  status: boolean;

  @Nested(() => CreditsBalance)
  balance: CreditsBalance;

  /** At most 200 grants: first those with credits left, then the newest. */
  @NestedList(() => CreditGrant)
  grants: CreditGrant[];

  /** Newest first. */
  @NestedList(() => CreditsLedgerLine)
  ledger: CreditsLedgerLine[];

  @Nested(() => Paging)
  paging: Paging;
}

export const ACCOUNT_CREDITS = defineOperation({
  name: 'account.credits',
  summary: 'Your balance, your grants, and the ledger of your credits',
  description:
    'The ledger has one line for each grant, expiry and refund, and one usage line per day (UTC) and operation. ' +
    'Usage is booked a minute or two after the requests, under the day of booking; until then it counts as `pending`. ' +
    'All lines add up to `spendable` + `leased` + `pending` + `frozen` − `debt`.',
  method: 'GET',
  routes: [{ path: '/v2.0/account/credits', version: 2 }],
  access: { kind: 'key', scope: 'account:read', class: 'account' },
  owner: { service: 'entitlement', path: '/internal/account/credits' },
  parameters: listPages(50),
  answers: [{ type: 'application/json', of: CreditsAnswer }],
  price: { per: 'free' },
  problems: [],
  examples: [
    {
      title: 'A trial, used for a day',
      parameters: {},
      answer: {
        status: true,
        balance: { remaining: 480, spendable: 455, leased: 25, pending: 0, frozen: 0, debt: 0 },
        grants: [
          {
            id: '019a5f00-0000-7000-8000-000000000001',
            source: 'trial',
            granted: 500,
            available: 455,
            reserved: 25,
            consumed: 20,
            expired: 0,
            revoked: 0,
            expires_at: null,
          },
        ],
        ledger: [
          {
            id: '019a5f00-0000-7000-8000-000000000003.use',
            at: '2026-11-20T00:00:00.000Z',
            kind: 'use',
            amount: -20,
            balance: 480,
            operation: 'whois.live',
            requests: '/v2.0/account/requests?day=2026-11-20&operation=whois.live',
          },
          {
            id: '019a5f00-0000-7000-8000-000000000002.grant',
            at: '2026-11-20T09:30:00.000Z',
            kind: 'grant',
            amount: 500,
            balance: 500,
            reference: 'trial',
          },
        ],
        paging: onePage(2, 50),
      },
    },
  ],
});
