import type { Migration } from '#libs/database';

export const refusedPayments: Migration = {
  name: '0018-refused-payments',
  sql: `
    -- When the money was refused last of an order that its customer has agreed to.
    alter table orders add column declined_at timestamptz;
    -- The change of plan that waits for its money.
    alter table subscriptions
      add column unpaid_sku text,
      add column unpaid_quantity integer,
      add column unpaid_micros bigint,
      add column unpaid_page text,
      add column unpaid_until timestamptz,
      add column unpaid_because text check (unpaid_because in ('waiting', 'declined'));
  `,
};
