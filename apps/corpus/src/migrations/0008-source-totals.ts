import type { Migration } from '#libs/database';

export const sourceTotals: Migration = {
  name: '0008-source-totals',
  sql: `
-- How much a source has brought: a row each, written once a batch.
create table source_total (
  source_id smallint primary key references source on delete cascade,
  observations bigint not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 50);
`,
};
