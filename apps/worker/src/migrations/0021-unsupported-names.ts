import type { Migration } from '#libs/database';

export const unsupportedNames: Migration = {
  name: '0021-unsupported-names',
  sql: `
-- The unique names for which no upstream is known; they are no part of the price.
alter table jobs add column unsupported integer not null default 0;
`,
};
