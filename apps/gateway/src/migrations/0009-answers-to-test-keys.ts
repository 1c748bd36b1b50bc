import type { Migration } from '#libs/database';

/** Limits the space for stored answers to test keys, per account. */
export const answersToTestKeys: Migration = {
  name: '0009-answers-to-test-keys',
  sql: `
alter table kept_answers add column is_test boolean not null default false;
`,
};
