import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { CreditPeriod } from './monthly-slices.js';
import type { Subscription } from './subscription.js';

interface SubscriptionRow extends Omit<
  Subscription,
  'accountId' | 'interval' | 'periodStart' | 'periodEnd'
> {
  account_id: string;
  period_interval: 'month' | 'year';
  period_start: Date;
  period_end: Date;
  paid_through: Date | null;
  cancel_at: Date | null;
  catalogue_version: string;
}

interface PeriodRow {
  subscription_id: string;
  account_id: string;
  period_start: Date;
  period_end: Date;
  period_interval: 'month' | 'year';
  slices_until: Date;
  paid_through: Date;
  monthly_credits: string;
}

@Injectable()
export class SubscriptionsRepository {
  async listSubscriptions(transaction: Transaction, accountIds: string[]): Promise<Subscription[]> {
    const rows = await transaction.query<SubscriptionRow>(
      'select * from subscriptions where account_id = any($1) order by id',
      [accountIds],
    );
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      line: row.line,
      state: row.state,
      sku: row.sku,
      quantity: row.quantity,
      interval: row.period_interval,
      periodStart: row.period_start,
      periodEnd: row.period_end,
      paidThrough: row.paid_through ?? undefined,
      cancelAt: row.cancel_at ?? undefined,
      limits: row.limits,
      monitors: row.monitors,
      keys: row.keys,
      datasets: row.datasets,
      catalogueVersion: row.catalogue_version,
    }));
  }

  async listPeriods(transaction: Transaction, accountIds: string[]): Promise<CreditPeriod[]> {
    const rows = await transaction.query<PeriodRow>(
      'select * from subscription_periods where account_id = any($1) order by period_start',
      [accountIds],
    );
    return rows.map((row) => ({
      subscriptionId: row.subscription_id,
      start: row.period_start,
      end: row.period_end,
      interval: row.period_interval,
      slicesUntil: row.slices_until,
      paidThrough: row.paid_through,
      monthlyCredits: Number(row.monthly_credits),
    }));
  }

  async putSubscription(
    transaction: Transaction,
    subscription: Subscription,
    allowanceVersion: number,
  ): Promise<void> {
    await transaction.query(PUT_SUBSCRIPTION, [
      subscription.id,
      subscription.accountId,
      subscription.line,
      subscription.state,
      subscription.sku,
      subscription.quantity,
      subscription.interval,
      subscription.periodStart,
      subscription.periodEnd,
      subscription.paidThrough ?? null,
      subscription.cancelAt ?? null,
      subscription.limits,
      subscription.monitors,
      subscription.keys,
      subscription.datasets,
      subscription.catalogueVersion,
      allowanceVersion,
    ]);
  }

  async putPeriod(
    transaction: Transaction,
    accountId: string,
    period: CreditPeriod,
  ): Promise<void> {
    await transaction.query(PUT_PERIOD, [
      period.subscriptionId,
      accountId,
      period.start,
      period.end,
      period.interval,
      period.slicesUntil,
      period.paidThrough,
      period.monthlyCredits,
    ]);
  }
}

const PUT_SUBSCRIPTION = `
  insert into subscriptions (id, account_id, line, state, sku, quantity, period_interval, period_start,
    period_end, paid_through, cancel_at, limits, monitors, keys, datasets, catalogue_version,
    allowance_version)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
  on conflict (id) do update set
    line = excluded.line, state = excluded.state, sku = excluded.sku, quantity = excluded.quantity,
    period_interval = excluded.period_interval, period_start = excluded.period_start,
    period_end = excluded.period_end, paid_through = excluded.paid_through,
    cancel_at = excluded.cancel_at,
    limits = excluded.limits, monitors = excluded.monitors, keys = excluded.keys,
    datasets = excluded.datasets, catalogue_version = excluded.catalogue_version,
    allowance_version = excluded.allowance_version`;

const PUT_PERIOD = `
  insert into subscription_periods (subscription_id, account_id, period_start, period_end,
    period_interval, slices_until, paid_through, monthly_credits)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (subscription_id, period_start) do update set
    period_end = excluded.period_end, period_interval = excluded.period_interval,
    slices_until = excluded.slices_until, paid_through = excluded.paid_through,
    monthly_credits = excluded.monthly_credits`;
