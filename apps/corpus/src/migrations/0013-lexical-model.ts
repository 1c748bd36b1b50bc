import type { Migration } from '#libs/database';

export const lexicalModel: Migration = {
  name: '0013-lexical-model',
  sql: `
-- How letters follow one another in labels of the index: the newest version is in use, older ones are removed.
create table lexical_model (
  version integer generated always as identity primary key,
  trained_at timestamptz not null,
  labels integer not null,
  -- Of the mean surprise of a label, in bits a letter.
  mean real not null,
  deviation real not null,
  -- How often each three letters stand in a row, by their text.
  counts jsonb not null
);
`,
};
