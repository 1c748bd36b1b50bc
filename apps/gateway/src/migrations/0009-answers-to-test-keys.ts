import type { Migration } from '#libs/database';

/** Bounds the space of answers to test keys, for each account. */
export const answersToTestKeys: Migration = {
  name: '0009-answers-to-test-keys',
  sql: `
alter table kept_answers add column is_test boolean not null default false;
`,
};
