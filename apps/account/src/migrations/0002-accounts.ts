import type { Migration } from '#libs/database';

export const accounts: Migration = {
  name: '0002-accounts',
  sql: `
    create table accounts (
      id uuid primary key,
      state text not null check (state in ('active', 'deleted', 'erased')),
      created_at timestamptz not null,
      deleted_at timestamptz,
      restore_until timestamptz,
      erased_at timestamptz,
      -- By an operator, whatever the state is.
      suspended_at timestamptz,
      suspended_because text,
      check ((suspended_at is null) = (suspended_because is null)),
      check ((state = 'active') = (deleted_at is null)),
      check ((deleted_at is null) = (restore_until is null)),
      check ((state = 'erased') = (erased_at is not null))
    );
    create index accounts_to_erase on accounts (restore_until) where state = 'deleted';

    -- One AES-256 key per account, wrapped by the operator's secret. Without its row, every encrypted
    -- column of the account is noise: erasure deletes it.
    create table data_keys (
      account_id uuid primary key,
      wrapped_key bytea not null,
      created_at timestamptz not null
    );
  `,
};
