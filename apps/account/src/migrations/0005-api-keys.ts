import type { Migration } from '#libs/database';

export const apiKeys: Migration = {
  name: '0005-api-keys',
  sql: `
    create table api_keys (
      id uuid primary key,
      account_id uuid not null references accounts,
      environment text not null check (environment in ('live', 'test')),
      key_hash bytea not null unique check (octet_length(key_hash) = 32),
      last_four text not null,
      name text not null,
      scopes text[] not null,
      allowed_addresses text[] not null,
      daily_credit_cap integer check (daily_credit_cap > 0),
      created_at timestamptz not null,
      -- The key whose age decides its rank: itself, or the first of its line of rotations.
      ranks_as uuid not null references api_keys,
      expires_at timestamptz,
      last_used_at timestamptz,
      replaced_by uuid references api_keys,
      revoked_at timestamptz,
      revoked_because text check (revoked_because in ('owner', 'rotation', 'expiry', 'deletion')),
      -- By state alone, never by the clock: a rank changes only together with an event.
      is_current boolean not null generated always as
        (revoked_at is null and replaced_by is null) stored,
      check ((revoked_at is null) = (revoked_because is null))
    );
    create index api_keys_list on api_keys (account_id, id);
    create index api_keys_rank on api_keys (account_id, environment, ranks_as) where is_current;
    create index api_keys_ending on api_keys (last_four);
    create index api_keys_to_expire on api_keys (expires_at) where revoked_at is null;
  `,
};
