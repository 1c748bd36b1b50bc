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
      amount_micros bigint not null check (amount_micros >= 0),
      currency text not null,
      catalogue_version text not null,
      confirmed_at timestamptz not null,
      unique (processor, external_id)
    );
    create index payments_account on payments (account_id, id);
    create index payments_order on payments (order_id);
    create table payment_lines (
      id uuid primary key,
      payment_id uuid not null references payments,
      account_id uuid not null,
      kind text not null,
      sku text not null,
      quantity integer not null check (quantity > 0),
      amount_micros bigint not null check (amount_micros >= 0),
      credits bigint check (credits > 0),
      tier text
    );
    create index payment_lines_payment on payment_lines (payment_id);
    create table reversals (
      id uuid primary key,
      account_id uuid not null,
      payment_id uuid not null references payments,
      processor text not null,
      cause text not null check (cause in ('refund', 'dispute')),
      external_id text not null,
      -- A dispute that was won may be opened again: each time is a reversal of its own.
      attempt integer not null,
      state text not null check (state in ('requested', 'final', 'undone')),
      amount_micros bigint not null check (amount_micros > 0),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (processor, cause, external_id, attempt)
    );
    create index reversals_payment on reversals (payment_id);
  `,
};
