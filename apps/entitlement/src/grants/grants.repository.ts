import { Injectable } from '@nestjs/common';
import type { PaymentConfirmed, PaymentLine } from '#libs/contracts';
import { MaintenanceDatabase, type Transaction } from '#libs/database';
import type { ReversedLine } from './account-credits.js';

export interface Adjustment {
  id: string;
  /** Credits. */
  amount: number;
  reason: string;
  expiresAt?: Date;
}

@Injectable()
export class GrantsRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /** @returns false when the claim, or this account's own, was used before. */
  async insertTrialClaim(
    transaction: Transaction,
    claim: string,
    accountId: string,
    now: Date,
  ): Promise<boolean> {
    const inserted = await transaction.query(
      `insert into trial_claims (claim, account_id, claimed_at) values ($1, $2, $3)
       on conflict do nothing returning claim`,
      [claim, accountId, now],
    );
    return inserted.length > 0;
  }

  /** @returns false when the adjustment was made before. */
  async insertAdjustment(
    transaction: Transaction,
    accountId: string,
    adjustment: Adjustment,
    now: Date,
  ): Promise<boolean> {
    const { id, amount, reason, expiresAt } = adjustment;
    const inserted = await transaction.query(
      `insert into operator_adjustments (id, account_id, amount, reason, expires_at, made_at)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`,
      [id, accountId, amount, reason, expiresAt ?? null, now],
    );
    return inserted.length > 0;
  }

  /** @returns the lines that were not known before. */
  async insertPaymentLines(
    transaction: Transaction,
    accountId: string,
    payment: PaymentConfirmed,
    now: Date,
  ): Promise<PaymentLine[]> {
    const inserted = await transaction.query<{ line_id: string }>(INSERT_LINES, [
      payment.paymentId,
      payment.orderId ?? null,
      accountId,
      now,
      JSON.stringify(payment.lines),
    ]);
    const known = new Set(inserted.map(({ line_id }) => line_id));
    return payment.lines.filter(({ lineId }) => known.has(lineId));
  }

  async listReversedLines(transaction: Transaction, accountId: string): Promise<ReversedLine[]> {
    const rows = await transaction.query<Record<string, string | null>>(
      `select line_id, kind, subscription_id, period_start,
              requested_share::text, final_share::text
       from reversed_lines where account_id = $1`,
      [accountId],
    );
    return rows.map((row) => ({
      lineId: row.line_id as string,
      kind: row.kind ?? undefined,
      subscriptionId: row.subscription_id ?? undefined,
      periodStart: row.period_start ? new Date(row.period_start) : undefined,
      requestedShare: row.requested_share as string,
      finalShare: row.final_share as string,
    }));
  }

  /** Accounts whose credits time has changed by now, longest overdue first. */
  async listDueAccounts(now: Date, limit: number): Promise<string[]> {
    const rows = await this.maintenance.query<{ id: string }>(
      'select id from credit_accounts where next_due_at <= $1 order by next_due_at limit $2',
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }
}

const INSERT_LINES = `
  insert into payment_lines (line_id, payment_id, order_id, account_id, kind, sku, quantity, credits,
    tier, subscription_id, period_start, confirmed_at)
  select l."lineId", $1, $2, $3, l.kind, l.sku, l.quantity, l.credits, l.tier, l."subscriptionId",
    l."periodStart", $4
  from jsonb_to_recordset($5::jsonb) as l("lineId" uuid, kind text, sku text, quantity int,
    credits bigint, tier text, "subscriptionId" uuid, "periodStart" timestamptz)
  on conflict (line_id) do nothing returning line_id`;
