/** SQL: an id that is lower than the id of every transfer. */
export const FIRST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** The amount in a grant's row for each ledger account. */
const HELD = {
  available: 'g.available',
  reserved: 'g.reserved',
  consumed: 'g.consumed',
  expired: 'g.expired',
  revoked: 'g.revoked',
  issued: '-g.granted',
  debt: '-g.owed',
  owed: 'g.owed',
};

export const LEDGER_ACCOUNTS = Object.keys(HELD);

/** SQL: sums by ledger account of grant `g`'s entries after its account's checkpoint `k`. */
export const ENTRIES_SINCE = `
  select ${LEDGER_ACCOUNTS.map(
    (name) => `coalesce(sum(amount) filter (where ledger_account = '${name}'), 0) as ${name}`,
  ).join(', ')}
  from ledger_entries
  where grant_id = g.id and transfer_id > coalesce(k.through_id, ${FIRST_ID})`;

/**
 * SQL, one row for each ledger account: name, sum of checkpoint `s` and later entries `n`, amount in the grant's row.
 */
export const LEDGER_AND_GRANT = Object.entries(HELD)
  .map(([name, held]) => `('${name}', coalesce(s.${name}, 0) + n.${name}, ${held})`)
  .join(', ');

/** SQL: credits used by account `k.id` from its checkpoint's day on. */
export const USED_SINCE = `
  select coalesce(sum(credits), 0)::bigint as used from used_credits
  where account_id = k.id and day >= coalesce(k.used_before, '-infinity')`;
