import type { Migration } from '#libs/database';

/** What answers to test keys may take is bounded for an account. */
export const answersToTestKeys: Migration = {
  name: '0009-answers-to-test-keys',
  sql: `
alter table kept_answers add column is_test boolean not null default false;
`,
};
