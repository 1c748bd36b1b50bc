import type { Migration } from '#libs/database';

/** People log in with identities at other providers (Google, GitHub). */
export const identities: Migration = {
  name: '0022-identities',
  sql: `
    create table identities (
      id uuid primary key,
      account_id uuid not null references accounts,
      person_id uuid not null references people,
      provider text not null,
      -- Peppered hash of the provider and its id of the person.
      subject_hash bytea not null unique,
      -- The address there, encrypted with the account's data key.
      details bytea not null,
      created_at timestamptz not null,
      last_used_at timestamptz not null
    );
    create index identities_by_account on identities (account_id, id);
  `,
};
