import type { Migration } from '#libs/database';

export const leakedKeys: Migration = {
  name: '0026-leaked-keys',
  sql: `
alter table api_keys drop constraint api_keys_revoked_because_check,
  add constraint api_keys_revoked_because_check
    check (revoked_because in ('owner', 'rotation', 'expiry', 'deletion', 'leak')) not valid;
`,
};
