import type { Migration } from '#libs/database';

export const payments: Migration = {
  name: '0003-payments',
  sql: `
    create table payments (
      id uuid primary key,
      account_id uuid not null,
      order_id uuid references orders,
      processor text not null,
      external_id text not null,
      -- The processor's bill that it paid; null for an order that is paid once.
      bill_id text,
      amount_micros bigint not null check (amount_micros >= 0),
      currency text not null,
      catalogue_version text not null,
      confirmed_at timestamptz not null,
      -- Money of a duplicate or a deleted account: nobody hears of it, it is given back.
      is_announced boolean not null,
      returned_at timestamptz,
      unique (processor, external_id),
      unique (processor, bill_id)
    );
    create index payments_account on payments (account_id, id);
    create index payments_by_time on payments (account_id, confirmed_at);
    create index payments_order on payments (order_id);
    create index payments_to_return on payments (confirmed_at)
      where not is_announced and returned_at is null;
    create table payment_lines (
      id uuid primary key,
      payment_id uuid not null references payments,
      account_id uuid not null,
      kind text not null,
      sku text not null,
      quantity integer not null check (quantity > 0),
      -- Without tax; what is paid is both together.
      amount_micros bigint not null check (amount_micros >= 0),
      tax_micros bigint not null check (tax_micros >= 0),
      -- Millionths of the amount: 190000 is 19 %.
      tax_ppm integer not null check (tax_ppm between 0 and 999999),
      credits bigint check (credits > 0),
      tier text,
      -- What a line of a subscription paid for; it never changes.
      subscription_id uuid,
      interval text check (interval in ('month', 'year')),
      period_start timestamptz,
      period_end timestamptz,
      starts_at timestamptz,
      monthly_credits bigint check (monthly_credits > 0),
      -- A change within a period that is paid: reversed, it sets the plan back and ends nothing.
      is_change boolean not null,
      check (starts_at >= period_start and period_end > starts_at)
    );
    create index payment_lines_payment on payment_lines (payment_id);
    create index payment_lines_subscription on payment_lines (subscription_id, period_end);
    create table reversals (
      id uuid primary key,
      account_id uuid not null,
      payment_id uuid not null references payments,
      processor text not null,
      cause text not null check (cause in ('refund', 'dispute')),
      -- Null for a refund that is asked for here, until the processor has said that it made it.
      external_id text,
      -- A dispute that was won may be opened again: each time is a reversal of its own.
      attempt integer not null,
      state text not null check (state in ('requested', 'final', 'undone')),
      scope text not null check (scope in ('whole', 'remaining')),
      -- From when the rest is given back.
      starts_at timestamptz,
      amount_micros bigint not null check (amount_micros > 0),
      -- Of a refund that is asked for here: why.
      reason text,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (processor, cause, external_id, attempt),
      check ((scope = 'remaining') = (starts_at is not null))
    );
    create index reversals_account on reversals (account_id, created_at);
    create index reversals_payment on reversals (payment_id);
    create index reversals_to_settle on reversals (created_at)
      where external_id is null and state = 'requested';
  `,
};
