import type { Migration } from '#libs/database';

export const moneyBesidePrices: Migration = {
  name: '0013-money-beside-prices',
  sql: `
    -- What was paid beside the price of the lines: a balance or a minimum carried over between bills, a coupon.
    -- Below zero for what was not paid with this bill.
    alter table payments add column carried_micros bigint not null default 0;
    alter table invoices add column carried_micros bigint not null default 0;
    -- Announced, and found later to have paid for a second subscription of a line: it is given back.
    alter table payments add column is_unwanted boolean not null default false;
    -- Until when a paid bill that cannot be read would give rights; they hold until an operator decides.
    alter table subscriptions add column held_through timestamptz;
    -- Money that went back beyond what was invoiced, and came again where it is below zero.
    create table losses (
      id uuid primary key,
      account_id uuid not null,
      payment_id uuid not null references payments,
      amount_micros bigint not null check (amount_micros <> 0),
      currency text not null,
      booked_at timestamptz not null
    );
    create index losses_account on losses (account_id, id);
    create index losses_payment on losses (payment_id);
    revoke update, delete, truncate on losses from billing, billing_maintenance;
  `,
};
