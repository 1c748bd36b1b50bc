import type { Migration } from '#libs/database';

export const logHeads: Migration = {
  name: '0020-log-heads',
  sql: `
alter table import_file
  -- Of a log: the size of its newest checkpoint that was checked, and the hashes of the complete subtrees of that many
  -- entries, by which the next one is checked.
  add column log_head jsonb;
alter table source
  -- The public key of a log (DER, base64), with which its checkpoints must be signed; null: any signature will do.
  add column log_key text;
`,
};
