/** The SQL of the table of unsent e-mails, which is the same in every schema. */
export const mailTables = `
create table mail (
  id uuid primary key,
  account_id uuid,
  recipient text,
  subject text,
  text text,
  html text,
  state text not null default 'waiting' check (state in ('waiting', 'dead')),
  attempts integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  next_try_at timestamptz not null default clock_timestamp(),
  reason text
);
create index mail_due on mail (next_try_at) where state = 'waiting';
create index mail_by_account on mail (account_id);
`;
