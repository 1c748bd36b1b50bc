import type { Migration } from '#libs/database';

/** A key that may do everything may search, too; one whose owner chose its scopes keeps those. */
export const searchScopes: Migration = {
  name: '0015-search-scopes',
  sql: `
    update api_keys
    set scopes = scopes || '{history,reverse,subdomains,typos,reputation}'
    where scopes @> '{whois,ip,asn,dns,availability,bulk,account:read}' and revoked_at is null;
  `,
};
