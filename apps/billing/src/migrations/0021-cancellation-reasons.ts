import type { Migration } from '#libs/database';

export const cancellationReasons: Migration = {
  name: '0021-cancellation-reasons',
  sql: `
    -- Why customers cancelled, as far as they said so.
    create table cancellation_reasons (
      id uuid primary key,
      account_id uuid not null,
      subscription_id uuid not null references subscriptions,
      reason text not null check (length(reason) between 1 and 500),
      said_at timestamptz not null
    );
    create index cancellation_reasons_account on cancellation_reasons (account_id, said_at);
  `,
};
