import type { Migration } from '#libs/database';

/** A key with all scopes may also download files; a key whose owner chose its scopes keeps those. */
export const filesScope: Migration = {
  name: '0020-files-scope',
  sql: `
    update api_keys
    set scopes = scopes || '{files}'
    where scopes @> '{whois,ip,asn,dns,availability,bulk,account:read}' and revoked_at is null;
  `,
};
