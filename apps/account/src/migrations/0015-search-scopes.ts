import type { Migration } from '#libs/database';

/** A key with all scopes may also search; a key whose owner chose its scopes keeps those. */
export const searchScopes: Migration = {
  name: '0015-search-scopes',
  sql: `
    update api_keys
    set scopes = scopes || '{history,reverse,subdomains,typos,reputation}'
    where scopes @> '{whois,ip,asn,dns,availability,bulk,account:read}' and revoked_at is null;
  `,
};
