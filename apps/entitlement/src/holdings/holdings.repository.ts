import { Injectable } from '@nestjs/common';
import type { GrantPage, LineSums, Owned } from '#libs/contracts';
import { Database, MaintenanceDatabase } from '#libs/database';

@Injectable()
export class HoldingsRepository {
  constructor(
    private readonly database: Database,
    private readonly maintenance: MaintenanceDatabase,
  ) {}

  /** Lists these payment lines of any account, with their effects. */
  async listLines(lineIds: string[]): Promise<LineSums[]> {
    return this.maintenance.query<LineSums>(SUMS, [lineIds]);
  }

  /** Lists packages with credits left, oldest first. */
  async listPackages(accountId: string): Promise<Owned['packages']> {
    return this.database.query<Owned['packages'][number]>(
      `select id as "grantId", line_id as "lineId", tier, granted::text, issued_at as "boughtAt",
         (available + reserved)::text as remaining
       from credit_grants
       where account_id = $1 and source_type = 'package' and available + reserved > 0
       order by issued_at, id`,
      [accountId],
    );
  }

  async sumDebt(accountId: string): Promise<string> {
    const [{ debt }] = await this.database.query<{ debt: string }>(
      `select coalesce(sum(owed), 0)::text as debt from credit_grants
       where account_id = $1 and (available > 0 or reserved > 0 or owed > 0)`,
      [accountId],
    );
    return debt;
  }

  async listGrants(
    accountId: string,
    before: { issuedAt: string; id: string } | undefined,
    limit: number,
  ): Promise<GrantPage['items']> {
    return this.database.query<GrantPage['items'][number]>(
      `select id, source_type as "sourceType", source_id as "sourceId",
         source_index as "sourceIndex", line_id as "lineId", subscription_id as "subscriptionId",
         slice_start as "sliceStart", slice_end as "sliceEnd", expires_at as "expiresAt",
         issued_at as "issuedAt", granted::text, available::text, reserved::text, consumed::text,
         expired::text, revoked::text, owed::text, repaid::text
       from credit_grants
       where account_id = $1 and ($2::timestamptz is null or (issued_at, id) < ($2, $3::uuid))
       order by issued_at desc, id desc limit $4`,
      [accountId, before?.issuedAt ?? null, before?.id ?? null, limit],
    );
  }
}

/**
 * SQL that sums the effects of lines. Revived grants are omitted, because the original grant of the line still counts
 * their credits.
 */
const SUMS = `
  select p.account_id as "accountId", p.line_id as "lineId", p.payment_id as "paymentId", p.kind, p.amount_micros::text as "amountMicros",
  p.heard_at as "heardAt", count(g.id)::int as grants,
  coalesce(sum(g.granted), 0)::text as granted, coalesce(sum(g.consumed), 0)::text as consumed,
  coalesce(sum(g.revoked), 0)::text as revoked, coalesce(sum(g.owed), 0)::text as owed,
  coalesce(sum(g.reversal_target), 0)::text as reversed
  from payment_lines p left join credit_grants g
    on g.line_id = p.line_id and g.source_type in ('package', 'subscription')
  where p.line_id = any($1) group by p.line_id`;
