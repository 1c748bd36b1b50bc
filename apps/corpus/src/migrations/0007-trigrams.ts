import type { Migration } from '#libs/database';

export const trigrams: Migration = {
  name: '0007-trigrams',
  sql: `
create index domain_label_trigrams on domain using gin (label gin_trgm_ops);
create index contact_token_trigrams on contact_token using gin (folded gin_trgm_ops);
create index domain_skeleton_trigrams on domain using gin (skeleton gin_trgm_ops)
  where skeleton is not null;
`,
};
