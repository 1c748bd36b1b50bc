import type { Migration } from '#libs/database';

export const unwantedPayments: Migration = {
  name: '0014-unwanted-payments',
  sql: `create index concurrently if not exists payments_unwanted on payments (confirmed_at)
    where is_unwanted and returned_at is null`,
  isTransactional: false,
};
