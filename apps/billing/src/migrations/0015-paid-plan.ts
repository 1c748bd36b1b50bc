import type { Migration } from '#libs/database';

export const paidPlan: Migration = {
  name: '0015-paid-plan',
  sql: `
    -- What the last paid period was paid for, and what is given while the next payment is overdue: never a plan that
    -- the processor has switched to and nobody has paid.
    alter table subscriptions add column paid_sku text;
    alter table subscriptions add column paid_quantity integer;
    alter table subscriptions add column grace_sku text;
    alter table subscriptions add column grace_quantity integer;
  `,
};
