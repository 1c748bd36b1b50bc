import type { Migration } from '#libs/database';

/** A key that may do everything may start jobs, too; one whose owner chose its scopes keeps those. */
export const jobsScope: Migration = {
  name: '0016-jobs-scope',
  sql: `
    update api_keys
    set scopes = scopes || '{jobs}'
    where scopes @> '{whois,ip,asn,dns,availability,bulk,account:read}' and revoked_at is null;
  `,
};
