import { IsIn, IsInt, IsISO8601, IsOptional, IsString } from 'class-validator';
import { IsCount, Nested, NestedList, NullableText, OptionalText } from '../../members.js';
import { IN_ANY_STATE, dashboardCall } from '../dashboard-call.js';
import { defineOperation } from '../operation.js';
import { listPages } from '../paging/paged-search.js';
import { Paging, onePage } from '../paging/paging-answer.js';
import {
  CREDIT_SOURCES,
  type CreditSource,
  GrantAmounts,
  LEDGER_KINDS,
  type LedgerKind,
} from './credits.js';

/** Credits from one source. */
export class GrantAnswer extends GrantAmounts {
  @IsIn(CREDIT_SOURCES)
  source_type: CreditSource;

  /** The credit package, such as `15K`; null for other sources. */
  @NullableText()
  tier: string | null;

  /** The order that bought the credits; null if there was none, as for a renewal. */
  @NullableText()
  order_id: string | null;

  /** The package or plan as ordered; null for other sources. */
  @NullableText()
  sku: string | null;

  /** RFC 3339. */
  @IsISO8601()
  granted_at: string;
}

/** Credits of an account at this moment. */
export class BalanceAnswer {
  @IsCount()
  spendable: number;

  /** Reserved credits that are not used yet. */
  @IsInt()
  reserved: number;

  /** The part of `reserved` that is set aside for coming lookups. Jobs and monitors can use it, too. */
  @IsInt()
  recallable: number;

  /** The used part of reserved credits that is not in the ledger yet. */
  @IsInt()
  pending: number;

  @IsCount()
  frozen: number;

  /** Credits that were used and then taken back by a refund or dispute; bought credits repay them first. */
  @IsCount()
  debt: number;

  /**
   * The number of credits left at which they count as running out, and the e-mail about it is sent. Absent from earlier
   * releases.
   */
  @IsOptional()
  @IsCount()
  low_at?: number;

  /** At most 200 grants: first those with credits left, then the newest. */
  @NestedList(() => GrantAnswer)
  grants: GrantAnswer[];
}

/**
 * One line of an account's ledger in the form that customers see. All lines add up to the available and reserved
 * credits, less the owed credits.
 */
export class LedgerLine {
  /** An opaque id, which reveals nothing about other accounts. */
  @IsString()
  id: string;

  /** RFC 3339. */
  @IsISO8601()
  at: string;

  /**
   * `refund`: credits (used ones included) taken back by a refund or dispute, or returned because the refund or dispute
   * failed.
   */
  @IsIn(LEDGER_KINDS)
  kind: LedgerKind;

  /** Credits, decimal string: negative if they were taken away. Never 0. */
  @IsString()
  amount: string;

  /**
   * The credits after this line, decimal string: the sum of it and of all older lines. Absent on a page whose cursor is
   * of an earlier release.
   */
  @OptionalText()
  balance?: string;

  /** The grant's source or the reversed line: `package:…`, `subscription:…`; for usage, the operation. */
  @IsString()
  reference: string;

  /** For use: the operation that was charged. */
  @OptionalText()
  operation?: string;

  /** For use: the UTC day of booking (`YYYY-MM-DD`). */
  @OptionalText()
  day?: string;
}

export class LedgerAnswer {
  /** Newest first. */
  @NestedList(() => LedgerLine)
  items: LedgerLine[];

  @Nested(() => Paging)
  paging: Paging;
}

export const BALANCE = defineOperation({
  ...dashboardCall('entitlement', 'GET /api/balance'),
  name: 'credits.balance',
  summary: 'The balance of the account and its grants',
  access: IN_ANY_STATE,
  answers: [{ type: 'application/json', of: BalanceAnswer }],
  problems: [],
  examples: [
    {
      title: 'A trial',
      parameters: {},
      answer: {
        spendable: 455,
        reserved: 25,
        recallable: 25,
        pending: 0,
        frozen: 0,
        debt: 0,
        low_at: 100,
        grants: [
          {
            id: '019a5f00-0000-7000-8000-000000000001',
            source_type: 'trial',
            granted: 500,
            available: 455,
            reserved: 25,
            consumed: 20,
            expired: 0,
            revoked: 0,
            expires_at: null,
            tier: null,
            order_id: null,
            sku: null,
            granted_at: '2026-11-20T09:30:00.000Z',
          },
        ],
      } satisfies BalanceAnswer,
    },
  ],
});

export const LEDGER = defineOperation({
  ...dashboardCall('entitlement', 'GET /api/ledger'),
  name: 'credits.ledger',
  summary: "The ledger of the account's credits",
  access: IN_ANY_STATE,
  parameters: listPages(50, 1_000),
  answers: [{ type: 'application/json', of: LedgerAnswer }],
  problems: [],
  examples: [
    {
      title: 'A trial',
      parameters: {},
      answer: {
        items: [
          {
            id: '019a5f00-0000-7000-8000-000000000002.grant',
            at: '2026-11-20T09:30:00.000Z',
            kind: 'grant',
            amount: '500',
            balance: '500',
            reference: 'trial',
          },
        ],
        paging: onePage(1, 50),
      } satisfies LedgerAnswer,
    },
  ],
});
