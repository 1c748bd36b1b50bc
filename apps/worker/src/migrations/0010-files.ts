import type { Migration } from '#libs/database';

export const files: Migration = {
  name: '0010-files',
  sql: `
-- One edition of the file of a dataset and day; made twice, it is published once.
create table file_editions (
  id uuid primary key,
  dataset text not null,
  day date not null,
  edition integer not null,
  -- When its rows were begun to be read.
  built_at timestamptz not null,
  published_at timestamptz not null,
  rows bigint not null,
  -- Against the file before; null where there was none.
  gained bigint,
  lost bigint,
  suppression_version bigint not null,
  schema_version smallint not null,
  folder text not null,
  artifacts jsonb not null,
  -- Of new names: what anybody may have.
  sample jsonb,
  -- When a later edition took its place, or its 90 days were over.
  removed_at timestamptz,
  unique (dataset, day, edition)
);
create unique index file_editions_open on file_editions (dataset, day) where removed_at is null;
create index file_editions_by_day on file_editions (day desc, dataset) where removed_at is null;
`,
};
