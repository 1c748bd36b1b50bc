import type { Migration } from '#libs/database';

export const accounts: Migration = {
  name: '0005-accounts',
  sql: `
-- What events say of accounts; one that is not here is active.
create table account_states (
  account_id uuid primary key,
  state text not null default 'active' check (state in ('active', 'deleted', 'erased')),
  is_suspended boolean not null default false
);
`,
};
