import type { Migration } from '#libs/database';

export const peopleAndSessions: Migration = {
  name: '0006-people-and-sessions',
  sql: `
    create table people (
      id uuid primary key,
      account_id uuid not null references accounts,
      -- Null once erased.
      address_hash bytea unique,
      -- First name and address, encrypted with the account's data key.
      details bytea,
      password_hash text,
      created_at timestamptz not null
    );
    create index people_by_account on people (account_id);

    create table sessions (
      id uuid primary key,
      account_id uuid not null references accounts,
      person_id uuid not null references people,
      token_hash bytea not null unique,
      -- Address and user agent, encrypted with the account's data key.
      origin bytea not null,
      -- Peppered hash of the account and the network it was opened from.
      network_hash bytea not null,
      created_at timestamptz not null,
      last_seen_at timestamptz not null,
      authenticated_at timestamptz not null,
      ended_at timestamptz
    );
    create index sessions_by_account on sessions (account_id, id);

    create table password_resets (
      id uuid primary key,
      account_id uuid not null references accounts,
      person_id uuid not null references people,
      token_hash bytea not null unique,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index password_resets_by_account on password_resets (account_id);
  `,
};
