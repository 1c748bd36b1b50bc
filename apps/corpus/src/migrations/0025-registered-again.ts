import type { Migration } from '#libs/database';

export const registeredAgain: Migration = {
  name: '0025-registered-again',
  sql: `
-- When a source whose data may not be sold saw first that the dropped name is registered again; null once a source
-- whose data may be sold has seen it, and for names that were never dropped.
alter table domain add column again_at timestamptz;
`,
};
