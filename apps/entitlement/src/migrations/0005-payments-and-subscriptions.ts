import type { Migration } from '#libs/database';

export const paymentsAndSubscriptions: Migration = {
  name: '0005-payments-and-subscriptions',
  sql: `
-- What billing announced, for ever: grants follow these lines alone.
create table payment_lines (
  line_id uuid primary key,
  payment_id uuid not null,
  order_id uuid,
  account_id uuid not null references credit_accounts,
  kind text not null,
  sku text not null,
  quantity integer not null,
  amount_micros bigint not null check (amount_micros >= 0),
  -- Of a package.
  credits bigint,
  tier text,
  -- Of a stretch of a subscription.
  subscription_id uuid,
  period_interval text check (period_interval in ('month', 'year')),
  period_start timestamptz,
  period_end timestamptz,
  from_at timestamptz,
  monthly_credits bigint,
  -- Business time. A slice that had ended by then has a life of its own.
  heard_at timestamptz not null,
  constraint kind_has_its_parts check (case kind
    when 'package' then credits > 0 and subscription_id is null
    when 'domainer' then credits is null and subscription_id is null
    when 'rate_limit' then credits is null and subscription_id is null
    else kind in ('subscription', 'subscription_upgrade') and credits is null
      and num_nulls(subscription_id, period_interval) = 0 and monthly_credits > 0
      and period_start <= from_at and from_at < period_end end)
);
create index payment_lines_account on payment_lines (account_id);
create index payment_lines_payment on payment_lines (payment_id);
create index payment_lines_subscription on payment_lines (subscription_id);

create table subscriptions (
  id uuid primary key,
  account_id uuid not null references credit_accounts,
  line text not null,
  state text not null,
  sku text not null,
  quantity integer not null,
  period_interval text not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  paid_through timestamptz,
  cancel_at timestamptz,
  limits jsonb not null,
  monitors jsonb not null,
  keys integer not null,
  datasets text[] not null,
  catalogue_version text not null,
  allowance_version bigint not null
);
create index subscriptions_account on subscriptions (account_id);

-- A refund's or dispute's request and its final word, kept apart: they come in any order.
create table reversals (
  reversal_id uuid not null,
  phase text not null check (phase in ('requested', 'final')),
  account_id uuid not null references credit_accounts,
  payment_id uuid not null,
  cause text not null check (cause in ('refund', 'dispute')),
  primary key (reversal_id, phase)
);
create index reversals_account on reversals (account_id);

create table reversed_lines (
  reversal_id uuid not null,
  phase text not null,
  line_id uuid not null,
  account_id uuid not null references credit_accounts,
  refunded_micros bigint not null,
  paid_micros bigint not null,
  scope text not null check (scope in ('whole', 'remaining')),
  from_at timestamptz,
  primary key (reversal_id, phase, line_id),
  foreign key (reversal_id, phase) references reversals,
  constraint within_what_was_paid check (refunded_micros between 0 and paid_micros),
  constraint remaining_says_from_when check ((scope = 'remaining') = (from_at is not null))
);
create index reversed_lines_account on reversed_lines (account_id);
create index reversed_lines_line on reversed_lines (line_id);

-- An undoing may come before what it undoes.
create table undone_reversals (
  reversal_id uuid primary key,
  account_id uuid not null references credit_accounts,
  undone_at timestamptz not null
);

-- Reversals that count: the final word instead of its request, nothing undone.
create view counting_reversals as
select r.reversal_id, r.phase, r.account_id from reversals r
where not exists (select from undone_reversals u where u.reversal_id = r.reversal_id)
  and (r.phase = 'final' or not exists (
    select from reversals f where f.reversal_id = r.reversal_id and f.phase = 'final'));
`,
};
