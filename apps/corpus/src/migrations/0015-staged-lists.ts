import type { Migration } from '#libs/database';

export const stagedLists: Migration = {
  name: '0015-staged-lists',
  sql: `
-- The version of the list of suppressed values that names on their way in were compared with: what was added to it
-- since then is looked for among them when they are taken in.
create table staged_list (
  file_id uuid primary key,
  suppression_version bigint not null
);
`,
};
