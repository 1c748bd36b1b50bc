import type { Migration } from '#libs/database';

export const repeatedChanges: Migration = {
  name: '0024-repeated-changes',
  sql: `
-- A source whose data may not be sold had recorded the change before: this one counts only for datasets.
alter table change_event add column is_repeated boolean not null default false;
`,
};
