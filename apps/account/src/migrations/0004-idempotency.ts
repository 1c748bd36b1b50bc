import type { Migration } from '#libs/database';

export const idempotency: Migration = {
  name: '0004-idempotency',
  sql: `
    create table idempotency (
      account_id uuid not null references accounts,
      key text not null,
      route text not null,
      body_hash bytea not null,
      answer jsonb not null,
      created_at timestamptz not null,
      primary key (account_id, key)
    );
    create index idempotency_age on idempotency (account_id, created_at);
  `,
};
