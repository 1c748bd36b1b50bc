/** SQL: an id below the ids of all transfers. */
export const FIRST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`;

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

/** SQL: sums of grant `g`'s entries after its account's checkpoint `k`, by ledger account. */
export const ENTRIES_SINCE = `
  select ${LEDGER_ACCOUNTS.map(
    (name) => `coalesce(sum(amount) filter (where ledger_account = '${name}'), 0) as ${name}`,
  ).join(', ')}
  from ledger_entries
  where grant_id = g.id and transfer_id > coalesce(k.through_id, ${FIRST_ID})`;

/**
 * SQL with a row per ledger account: its name, the sum of checkpoint `s` and later entries `n`, and the amount in the
 * grant's row.
 */
export const LEDGER_AND_GRANT = Object.entries(HELD)
  .map(([name, held]) => `('${name}', coalesce(s.${name}, 0) + n.${name}, ${held})`)
  .join(', ');

/** SQL: the credits that account `k.id` has used since its checkpoint's day. */
export const USED_SINCE = `
  select coalesce(sum(credits), 0)::bigint as used from used_credits
  where account_id = k.id and day >= coalesce(k.used_before, '-infinity')`;
