import type { Migration } from '#libs/database';

export const restorableChanges: Migration = {
  name: '0023-restorable-changes',
  sql: `
    -- The change of plan that waited for the end of the period when the account's deletion cancelled the subscription: a
    -- restoration schedules it again.
    alter table subscriptions add column restorable_sku text, add column restorable_quantity integer;
  `,
};
