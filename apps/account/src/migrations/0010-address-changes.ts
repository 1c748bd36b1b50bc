import type { Migration } from '#libs/database';

export const addressChanges: Migration = {
  name: '0010-address-changes',
  sql: `
    create table address_changes (
      id uuid primary key,
      account_id uuid not null references accounts,
      person_id uuid not null references people,
      token_hash bytea not null unique,
      -- The new address, encrypted with the account's data key.
      address bytea not null,
      expires_at timestamptz not null
    );
    create index address_changes_by_account on address_changes (account_id);
  `,
};
