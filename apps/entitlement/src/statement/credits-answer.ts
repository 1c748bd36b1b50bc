import {
  ACCOUNT_REQUESTS,
  type CreditsAnswer,
  type GrantAmounts,
  type LedgerLine,
} from '#libs/contracts';
import type { Statement } from './statement.service.js';

export function creditsAnswer({ balance, lines }: Statement): CreditsAnswer {
  const { spendable, reserved, pending, frozen, debt, grants } = balance;
  return {
    status: true,
    balance: {
      remaining: spendable + reserved,
      spendable,
      leased: reserved,
      pending,
      frozen,
      debt,
    },
    grants: grants.map(({ source_type: source, ...grant }) => ({ ...amountsOf(grant), source })),
    ledger: lines.items.map(ledgerLine),
    paging: lines.paging,
  };
}

function amountsOf({
  id,
  granted,
  available,
  reserved,
  consumed,
  expired,
  revoked,
  expires_at,
}: GrantAmounts): GrantAmounts {
  return { id, granted, available, reserved, consumed, expired, revoked, expires_at };
}

function ledgerLine({ id, at, kind, amount, balance, reference, operation, day }: LedgerLine) {
  const after = balance === undefined ? {} : { balance: Number(balance) };
  const line = { id, at, kind, amount: Number(amount), ...after };
  if (kind !== 'use') return { ...line, reference };
  const [{ path }] = ACCOUNT_REQUESTS.routes;
  return { ...line, operation, requests: `${path}?day=${day}&operation=${operation}` };
}
