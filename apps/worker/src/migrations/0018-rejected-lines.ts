import type { Migration } from '#libs/database';

export const rejectedLines: Migration = {
  name: '0018-rejected-lines',
  sql: `
-- Of a line without a domain name: what is wrong. Its name is the text as it was given, its upstream is empty.
alter table name_lines add column fault text;
-- The file of the lines of a job that get no answer of their own, and their number.
alter table jobs add column left_out_part text, add column left_out_rows integer not null default 0;
`,
};
