import type { Migration } from '#libs/database';

export const arrivedAnswers: Migration = {
  name: '0019-arrived-answers',
  sql: `
-- Answers that have arrived for a chunk that is not complete yet: what its owner sees of the progress. No index has it,
-- so that an update every few seconds touches no index (a heap-only tuple).
alter table job_chunks add column arrived integer not null default 0;
`,
};
