import type { Migration } from '#libs/database';

export const encryptedReasons: Migration = {
  name: '0022-encrypted-reasons',
  sql: `
    -- They were in plain text, and none is old enough to be missed.
    drop table cancellation_reasons;
    -- Why customers cancelled, as far as they said so: their last words on each subscription, encrypted with the key of
    -- that year.
    create table cancellation_reasons (
      subscription_id uuid primary key references subscriptions,
      account_id uuid not null,
      year integer not null,
      reason bytea not null check (length(reason) <= 4096),
      said_at timestamptz not null
    );
    create index cancellation_reasons_account on cancellation_reasons (account_id, said_at);
    create index cancellation_reasons_age on cancellation_reasons (said_at);
  `,
};
