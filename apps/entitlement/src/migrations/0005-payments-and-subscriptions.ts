import type { Migration } from '#libs/database';

export const paymentsAndSubscriptions: Migration = {
  name: '0005-payments-and-subscriptions',
  sql: `
create table payment_lines (
  line_id uuid primary key,
  payment_id uuid not null,
  order_id uuid,
  account_id uuid not null references credit_accounts,
  kind text not null,
  sku text not null,
  quantity integer not null,
  credits bigint,
  tier text,
  subscription_id uuid,
  period_start timestamptz,
  confirmed_at timestamptz not null
);
create index payment_lines_account on payment_lines (account_id);

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

-- Every period that brought credits, so that a reversal undone later can issue what it kept back.
create table subscription_periods (
  subscription_id uuid not null,
  period_start timestamptz not null,
  period_end timestamptz not null,
  account_id uuid not null references credit_accounts,
  period_interval text not null check (period_interval in ('month', 'year')),
  -- No slice starts at or after this: end, cancellation or the period that replaced it.
  slices_until timestamptz not null,
  paid_through timestamptz not null,
  monthly_credits bigint not null check (monthly_credits > 0),
  primary key (subscription_id, period_start)
);
create index subscription_periods_account on subscription_periods (account_id);

create table reversals (
  reversal_id uuid not null,
  line_id uuid not null,
  account_id uuid not null references credit_accounts,
  payment_id uuid not null,
  cause text not null check (cause in ('refund', 'dispute')),
  phase text not null check (phase in ('requested', 'final')),
  share numeric(20, 18) not null check (share between 0 and 1),
  primary key (reversal_id, line_id)
);
create index reversals_account on reversals (account_id);

create table undone_reversals (
  reversal_id uuid primary key,
  account_id uuid not null references credit_accounts,
  undone_at timestamptz not null
);

-- What is taken back of each payment line, as a share of it.
create view reversed_lines as
select r.account_id, r.line_id, p.kind, p.subscription_id, p.period_start,
       least(1, sum(r.share)) as requested_share,
       least(1, coalesce(sum(r.share) filter (where r.phase = 'final'), 0)) as final_share
from reversals r left join payment_lines p on p.line_id = r.line_id
where not exists (select from undone_reversals u where u.reversal_id = r.reversal_id)
group by r.account_id, r.line_id, p.kind, p.subscription_id, p.period_start;
`,
};
