import type { Migration } from '#libs/database';

export const hostSources: Migration = {
  name: '0017-host-sources',
  sql: `
-- Who saw the host; null before this was noted: the source of the host's own row.
alter table host_sighting add column source_id smallint;
`,
};
