import type { Migration } from '#libs/database';

export const unclaimedMoney: Migration = {
  name: '0017-unclaimed-money',
  sql: `
    -- What only a processor has belongs to no account of ours.
    alter table reconciliation_findings alter column account_id drop not null;
  `,
};
