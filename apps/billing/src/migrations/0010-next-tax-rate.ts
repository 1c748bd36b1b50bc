import type { Migration } from '#libs/database';

export const nextTaxRate: Migration = {
  name: '0010-next-tax-rate',
  sql: `
    -- The rate decided for the period after \`tax_decided_at\`.
    alter table subscriptions add column next_tax_ppm integer
      check (next_tax_ppm between 0 and 999999);
  `,
};
