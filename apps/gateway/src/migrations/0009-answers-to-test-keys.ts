import type { Migration } from '#libs/database';

/** Marks the stored answers to test keys, whose number and size are limited per account. */
export const answersToTestKeys: Migration = {
  name: '0009-answers-to-test-keys',
  sql: `
alter table kept_answers add column is_test boolean not null default false;
`,
};
