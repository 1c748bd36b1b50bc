import type { Migration } from '#libs/database';

/** A key with all scopes may also manage webhooks; a key whose owner chose its scopes keeps those. */
export const webhooksScope: Migration = {
  name: '0017-webhooks-scope',
  sql: `
    update api_keys
    set scopes = scopes || '{webhooks}'
    where scopes @> '{whois,ip,asn,dns,availability,bulk,account:read}' and revoked_at is null;
  `,
};
