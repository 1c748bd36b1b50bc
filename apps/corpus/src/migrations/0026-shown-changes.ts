import type { Migration } from '#libs/database';

export const shownChanges: Migration = {
  name: '0026-shown-changes',
  sql: `
-- Only sources whose data may not be shown had recorded the change before, so monitors were not told of it. Such a
-- change does not count for datasets.
alter table change_event add column is_shown_first boolean not null default false;
`,
};
