/** The SQL of the table that `IdempotencyService` uses; it is the same in every schema. */
export const idempotencyTable = `
create table idempotency (
  account_id uuid not null,
  key text not null,
  route text not null,
  body_hash bytea not null,
  answer jsonb not null,
  created_at timestamptz not null,
  primary key (account_id, key)
);
create index idempotency_age on idempotency (account_id, created_at);
`;
