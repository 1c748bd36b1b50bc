import type { Migration } from '#libs/database';

export const textRecords: Migration = {
  name: '0009-text-records',
  sql: `create index dns_span_text on dns_span using gin (value gin_trgm_ops) where rtype = 16;`,
};
