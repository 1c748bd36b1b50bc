import type { Migration } from '#libs/database';

export const signUps: Migration = {
  name: '0008-sign-ups',
  sql: `
    -- A sign-up whose address is not confirmed yet. Its id is the account's, once there is one.
    create table sign_ups (
      id uuid primary key,
      token_hash bytea not null unique,
      address_hash bytea not null,
      -- First name and address, encrypted with the data key that the account will keep.
      details bytea not null,
      password_hash text not null,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index sign_ups_age on sign_ups (expires_at);

    -- How often something was tried. Subjects are peppered hashes of addresses and networks.
    create table attempts (
      subject bytea primary key,
      count integer not null,
      since timestamptz not null,
      last_at timestamptz not null
    ) with (fillfactor = 70);
    create index attempts_age on attempts (last_at);
  `,
};
