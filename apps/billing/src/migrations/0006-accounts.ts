import type { Migration } from '#libs/database';

export const accounts: Migration = {
  name: '0006-accounts',
  sql: `
    -- Accounts that were ever deleted or suspended; all others are active.
    create table account_states (
      account_id uuid primary key,
      state text not null check (state in ('active', 'deleted', 'erased')),
      changed_at timestamptz not null,
      is_suspended boolean not null default false,
      suspension_changed_at timestamptz
    );
  `,
};
