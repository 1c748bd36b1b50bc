import type { Migration } from '#libs/database';

export const arrivedAnswers: Migration = {
  name: '0019-arrived-answers',
  sql: `
-- Answers that have arrived for a chunk that is not complete yet: what its owner sees of the progress.
alter table job_chunks add column arrived integer not null default 0;
create index job_chunks_arriving on job_chunks (job_id) where arrived > 0;
`,
};
