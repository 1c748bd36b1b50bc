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
      suspension_changed_at timestamptz,
      -- Erased, and nothing runs any more: what its late money begins is ended as a duplicate.
      is_settled boolean not null default false
    );
    create index account_states_gone on account_states (account_id)
      where state in ('deleted', 'erased') and not is_settled;
  `,
};
