import type { Migration } from '#libs/database';

/** The second step of a log-in: codes of an authenticator app, and the state between the steps. */
export const secondFactor: Migration = {
  name: '0021-second-factor',
  sql: `
    create table second_factors (
      person_id uuid primary key references people,
      account_id uuid not null references accounts,
      -- Encrypted with the account's data key.
      secret bytea not null,
      created_at timestamptz not null,
      -- Null until a first code proves that the app has the secret.
      confirmed_at timestamptz,
      -- Of the last code that was taken: neither it nor an earlier one is taken again.
      last_step integer not null
    );
    create index second_factors_by_account on second_factors (account_id);

    create table recovery_codes (
      person_id uuid not null references people,
      code_hash bytea not null,
      account_id uuid not null references accounts,
      created_at timestamptz not null,
      primary key (person_id, code_hash)
    );
    create index recovery_codes_by_account on recovery_codes (account_id);

    -- A log-in between two of its steps; its token is in the browser's cookie.
    create table log_in_steps (
      token_hash bytea primary key,
      kind text not null,
      -- Null while nobody knows whose log-in it will be.
      account_id uuid references accounts,
      -- Encrypted with the account's data key, or the one of visitors.
      content bytea not null,
      tries integer not null,
      expires_at timestamptz not null
    );
    create index log_in_steps_age on log_in_steps (expires_at);
    create index log_in_steps_by_account on log_in_steps (account_id);
  `,
};
