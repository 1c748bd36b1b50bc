import type { Migration } from '#libs/database';

export const answeringServers: Migration = {
  name: '0023-answering-servers',
  sql: `
-- The kinds of servers that gave the record, such as "registry rdap delivered"; null if they are unknown, as in files.
-- Different kinds write the same registration differently.
alter table whois_revision add column answered_by text collate "C";
`,
};
