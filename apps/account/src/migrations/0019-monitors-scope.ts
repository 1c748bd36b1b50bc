import type { Migration } from '#libs/database';

/** A key with all scopes may also manage monitors; a key whose owner chose its scopes keeps those. */
export const monitorsScope: Migration = {
  name: '0019-monitors-scope',
  sql: `
    update api_keys
    set scopes = scopes || '{monitors}'
    where scopes @> '{whois,ip,asn,dns,availability,bulk,account:read}' and revoked_at is null
      and not scopes @> '{monitors}';
  `,
};
