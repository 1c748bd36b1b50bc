import type { Migration } from '#libs/database';

/** Answers to requests with an `Idempotency-Key`, for 24 hours. */
export const keptAnswers: Migration = {
  name: '0003-kept-answers',
  sql: `
create table kept_answers (
  account_id uuid not null,
  key text not null,
  request_hash bytea not null,
  request_id text not null,
  begun_at timestamptz not null,
  -- Without an answer by then its gateway is gone, and a repeat may run.
  runs_until timestamptz not null,
  outcome text,
  -- As it came from its owner: what the gateway adds differs each time.
  body bytea,
  primary key (account_id, key)
) with (fillfactor = 80);
create index kept_answers_age on kept_answers (begun_at);
`,
};
