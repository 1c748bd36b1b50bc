import type { Migration } from '#libs/database';

export const webhooks: Migration = {
  name: '0007-webhooks',
  sql: `
create table webhooks (
  id uuid primary key,
  account_id uuid not null,
  url text not null,
  events text[] not null,
  state text not null default 'active' check (state in ('active', 'paused', 'disabled')),
  -- What signs deliveries; it opens nothing here.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  created_at timestamptz not null,
  failing_since timestamptz
);
create index webhooks_of_account on webhooks (account_id, id desc);

-- One event for one endpoint, whatever it was published for and however often it was tried.
create table webhook_deliveries (
  id uuid primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  account_id uuid not null,
  event_id uuid not null,
  type text not null,
  body text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  tries integer not null default 0,
  created_at timestamptz not null,
  last_try_at timestamptz,
  response_status integer,
  fault text,
  unique (webhook_id, event_id)
);
create index webhook_deliveries_of_webhook on webhook_deliveries (webhook_id, id desc);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);
`,
};
