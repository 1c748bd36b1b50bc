import type { Migration } from '#libs/database';
import { mailTables } from '#libs/mail';

export const letters: Migration = {
  name: '0008-letters',
  sql: `
    ${mailTables}
    -- What was written to whom about what: each letter once.
    create table written_letters (
      account_id uuid not null,
      about text not null,
      written_at timestamptz not null,
      primary key (account_id, about)
    );
  `,
};
