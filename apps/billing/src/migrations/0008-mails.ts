import type { Migration } from '#libs/database';
import { mailTables } from '#libs/mail';

export const mails: Migration = {
  name: '0008-mails',
  sql: `
    ${mailTables}
    -- What each account was mailed about: the key keeps a second mail about the same from being queued.
    create table mailed_notices (
      account_id uuid not null,
      about text not null,
      mailed_at timestamptz not null,
      primary key (account_id, about)
    );
    create index mailed_notices_by_time on mailed_notices (account_id, mailed_at);
  `,
};
