import type { Migration } from '#libs/database';

/** A key with all scopes may also start jobs; a key whose owner chose its scopes keeps those. */
export const jobsScope: Migration = {
  name: '0016-jobs-scope',
  sql: `
    update api_keys
    set scopes = scopes || '{jobs}'
    where scopes @> '{whois,ip,asn,dns,availability,bulk,account:read}' and revoked_at is null;
  `,
};
