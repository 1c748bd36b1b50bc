import type { Migration } from '#libs/database';

export const heldBills: Migration = {
  name: '0024-held-bills',
  sql: `
    -- The paid bills that could not be read and that no other object of the processor stands for: the mark stays until
    -- each of them is stored or returned.
    alter table subscriptions add column held_bill_ids text[] not null default '{}';
  `,
};
