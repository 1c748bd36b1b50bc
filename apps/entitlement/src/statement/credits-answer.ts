import { ACCOUNT_USAGE, type CreditsAnswer, type LedgerLine } from '#libs/contracts';
import type { Statement } from './statement.service.js';

/** The answer of `account.credits`. */
export function creditsAnswer({ balance, lines }: Statement): CreditsAnswer {
  const { spendable, reserved, unbooked, frozen, debt, grants } = balance;
  return {
    status: true,
    balance: {
      remaining: spendable + reserved,
      spendable,
      leased: reserved,
      pending: unbooked,
      frozen,
      debt,
    },
    grants: grants.map(({ sourceType: source, expiresAt, tier: _tier, ...amounts }) => ({
      ...amounts,
      source,
      expires_at: expiresAt ?? null,
    })),
    ledger: lines.items.map(ledgerLine),
    paging: {
      has_next: lines.nextCursor !== undefined,
      next_cursor: lines.nextCursor ?? null,
    },
  };
}

function ledgerLine({ id, at, kind, amount, reference, operation, day }: LedgerLine) {
  const line = { id, at, kind, amount: Number(amount) };
  if (kind !== 'use') return { ...line, reference };
  const [{ path }] = ACCOUNT_USAGE.routes;
  return { ...line, operation, requests: `${path}?from=${day}&to=${day}` };
}
