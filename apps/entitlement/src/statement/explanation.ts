import type { BalanceAnswer, BalanceExplanation, ExplainedLine, LedgerLine } from '#libs/contracts';

/** Kinds of frequent movements. Each kind becomes one line per month and reference, so that years fit on a screen. */
const SUMMED: readonly LedgerLine['kind'][] = ['use', 'expiry'];

/** Summarises an account's whole ledger, oldest lines first. @param lines the lines, newest first. */
export function explain(balance: BalanceAnswer, lines: LedgerLine[]): BalanceExplanation {
  const explained = new Map<string, ExplainedLine>();
  for (const { id, at, kind, amount, reference } of lines.toReversed()) {
    const name = SUMMED.includes(kind) ? `${at.slice(0, 7)} ${kind} ${reference}` : id;
    const { from = at, amount: sum = 0, lines: count = 0 } = explained.get(name) ?? {};
    const line = { from, to: at, kind, reference, amount: sum + Number(amount), lines: count + 1 };
    explained.set(name, line);
  }
  const { spendable, frozen, reserved, pending: unbooked, debt } = balance;
  const total = spendable + frozen + reserved + unbooked - debt;
  const explainedTotal = lines.reduce((sum, { amount }) => sum + Number(amount), 0);
  return {
    lines: [...explained.values()],
    balance: { spendable, frozen, reserved, unbooked, debt },
    total,
    unexplained: total - explainedTotal,
  };
}
