import type { Migration } from '#libs/database';

export const billingDetails: Migration = {
  name: '0009-billing-details',
  sql: `
    create table billing_details (
      account_id uuid primary key references accounts,
      -- Encrypted with the account's data key.
      details bytea not null,
      updated_at timestamptz not null
    );
  `,
};
