import type { Migration } from '#libs/database';

export const allowances: Migration = {
  name: '0006-allowances',
  sql: `
create table access_blocks (
  id uuid primary key,
  account_id uuid not null references credit_accounts,
  cause text not null check (cause in ('overdue', 'deletion', 'suspension', 'fraud', 'admin')),
  blocks text[] not null,
  reason text not null,
  from_at timestamptz not null,
  to_at timestamptz,
  allowance_version bigint not null
);
create index access_blocks_account on access_blocks (account_id);

create table allowance_overrides (
  id uuid primary key,
  account_id uuid not null references credit_accounts,
  name text not null,
  value integer not null check (value >= 0),
  reason text not null check (reason <> ''),
  from_at timestamptz not null,
  until_at timestamptz not null,
  allowance_version bigint not null
);
create index allowance_overrides_account on allowance_overrides (account_id, until_at);
`,
};
