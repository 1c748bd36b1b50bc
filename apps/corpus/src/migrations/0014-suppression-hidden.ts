import type { Migration } from '#libs/database';

export const suppressionHidden: Migration = {
  name: '0014-suppression-hidden',
  sql: `
-- Null while an entry of the list was found missing here, after a restore: nothing is shown until it is applied.
alter table suppression add column hidden_at timestamptz;
create index suppression_pending on suppression (version) where erased_at is null;
`,
};
