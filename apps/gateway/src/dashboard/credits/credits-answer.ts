import type { Balance, LedgerLine } from '#libs/contracts';

/** Answer of `GET /api/balance`. All amounts are credits. */
export function balanceAnswer(balance: Balance): object {
  return {
    spendable: balance.spendable,
    reserved: balance.reserved,
    frozen: balance.frozen,
    grants: balance.grants.map((grant) => ({
      id: grant.id,
      source_type: grant.sourceType,
      granted: grant.granted,
      available: grant.available,
      reserved: grant.reserved,
      consumed: grant.consumed,
      expired: grant.expired,
      revoked: grant.revoked,
      expires_at: grant.expiresAt ?? null,
      tier: grant.tier ?? null,
    })),
  };
}

/** Answer of `GET /api/ledger`. Amounts are decimal strings, positive for credits gained. */
export function ledgerAnswer(page: { items: LedgerLine[]; nextCursor?: string }): object {
  return {
    items: page.items.map((line) => ({
      id: line.id,
      at: line.at,
      kind: line.kind,
      amount: line.amount,
      reference: line.reference,
    })),
    next_cursor: page.nextCursor ?? null,
  };
}
