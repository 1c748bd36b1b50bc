import type { Migration } from '#libs/database';

export const subscriptions: Migration = {
  name: '0005-subscriptions',
  sql: `
    create table subscriptions (
      id uuid primary key,
      account_id uuid not null,
      order_id uuid not null references orders,
      line text not null check (line in ('api', 'domainer', 'rate_limit')),
      processor text not null,
      external_id text not null,
      state text not null check (state in ('incomplete', 'trialing', 'active', 'past_due', 'unpaid',
        'paused', 'cancelled', 'expired')),
      sku text not null,
      quantity integer not null check (quantity > 0),
      interval text not null check (interval in ('month', 'year')),
      catalogue_version text not null,
      currency text not null,
      -- Within its prices; another one applies from the next period on.
      tax_ppm integer not null check (tax_ppm between 0 and 999999),
      -- The end of the period after which the rate has been decided.
      tax_decided_at timestamptz,
      -- Whether the buyer owes the tax itself, as it was decided then; null: as it was ordered.
      is_reverse_charge boolean,
      period_start timestamptz not null,
      period_end timestamptz not null,
      paid_through timestamptz,
      cancel_at timestamptz,
      pending_sku text,
      pending_quantity integer,
      is_current boolean not null,
      -- A second paid one of a line: it is ended and refunded, and nobody hears of it.
      is_duplicate boolean not null,
      -- What a deletion changed, so that a restoration undoes exactly that.
      is_cancelled_by_deletion boolean not null,
      -- The payment of its last period was taken back for good: it is ended at the processor.
      is_reversed boolean not null,
      -- The plan to set it back to, since a change of it was taken back or is paid again.
      wanted_sku text,
      wanted_quantity integer,
      set_aside_because text,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      unique (processor, external_id)
    );
    create unique index subscriptions_current on subscriptions (account_id, line) where is_current;
    create index subscriptions_account on subscriptions (account_id, id);
    create index subscriptions_renewals on subscriptions (period_end)
      where is_current and cancel_at is null;
    -- What wants something of its processor; beside it, the subscriptions of accounts that are gone.
    create index subscriptions_wishing on subscriptions (updated_at)
      where state not in ('cancelled', 'expired')
        and (is_duplicate or is_reversed or wanted_sku is not null or is_cancelled_by_deletion);
    create index subscriptions_running on subscriptions (account_id)
      where state not in ('cancelled', 'expired');
    create index subscriptions_ending on subscriptions (cancel_at)
      where cancel_at is not null and state not in ('cancelled', 'expired');
    create index subscriptions_duplicates on subscriptions (updated_at)
      where is_duplicate and state not in ('cancelled', 'expired');
    alter table payment_lines add constraint payment_lines_subscription
      foreign key (subscription_id) references subscriptions;
  `,
};
