/** SQL: before every id of a transfer. */
export const FIRST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`;

/** What a grant's row says of each ledger account. */
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

/** SQL: sums of the entries of grant `g` by ledger account, of those after its account's checkpoint `k`. */
export const ENTRIES_SINCE = `
  select ${LEDGER_ACCOUNTS.map(
    (name) => `coalesce(sum(amount) filter (where ledger_account = '${name}'), 0) as ${name}`,
  ).join(', ')}
  from ledger_entries
  where grant_id = g.id and transfer_id > coalesce(k.through_id, ${FIRST_ID})`;

/** SQL, a row a ledger account: its name, what checkpoint `s` and later entries `n` say, what the grant says. */
export const LEDGER_AND_GRANT = Object.entries(HELD)
  .map(([name, held]) => `('${name}', coalesce(s.${name}, 0) + n.${name}, ${held})`)
  .join(', ');
