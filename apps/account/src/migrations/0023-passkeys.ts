import type { Migration } from '#libs/database';

/** People log in with a passkey instead of a password and a code. */
export const passkeys: Migration = {
  name: '0023-passkeys',
  sql: `
    create table passkeys (
      id uuid primary key,
      account_id uuid not null references accounts,
      person_id uuid not null references people,
      -- As the authenticator calls it; at most 1,023 bytes (WebAuthn Level 3, 4).
      credential_id bytea not null unique,
      -- In COSE form (RFC 9052).
      public_key bytea not null,
      -- Uses by its own count; 0 for ever where it does not count.
      counter bigint not null,
      -- What its owner calls it, encrypted with the account's data key.
      name bytea not null,
      created_at timestamptz not null,
      last_used_at timestamptz
    );
    create index passkeys_by_account on passkeys (account_id, id);
  `,
};
