import type {
  PaymentConfirmed,
  PaymentReversalUndone,
  PaymentReversed,
  SubscriptionChanged,
} from '#libs/contracts';
import type { BillingUnderTest } from '../../billing/billing-under-test.js';

export const BEGIN = new Date('2026-01-31T00:00:00Z');
/** The length of a history in days. Afterwards, no new actions occur, but existing periods still end. */
export const HORIZON_DAYS = 400;
export const REST_DAYS = 150;

/** The types of billing's events that change credits in entitlement. */
interface Data {
  'billing.payment-confirmed': PaymentConfirmed;
  'billing.payment-reversed': PaymentReversed;
  'billing.payment-reversal-undone': PaymentReversalUndone;
  'billing.subscription-changed': SubscriptionChanged;
}

/** An event published by billing, with its times moved to the common start. */
export type Said = {
  id: string;
  at: Date;
  order: number;
  aggregate: string;
  version: number;
} & { [Type in keyof Data]: { type: Type; data: Data[Type] } }[keyof Data];

export interface BoughtLine {
  id: string;
  /** The amount as reversals state it, including any tax. */
  paid: bigint;
  credits?: number;
  stretch?: { interval: 'month' | 'year'; start: Date; end: Date; from: Date; monthly: number };
  reversals: Map<string, Taken>;
}

interface Taken {
  isFinal: boolean;
  isUndone: boolean;
  refunded: bigint;
  from?: Date;
}

/** Billing's events about one customer in one history, and the customer's purchases. */
export interface ToldHistory {
  name: string;
  said: readonly Said[];
  lines: readonly BoughtLine[];
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** @param since the time in billing that is moved to the common start time. */
export async function toldHistory(
  billing: BillingUnderTest,
  { name, accountId, since }: { name: string; accountId: string; since: Date },
): Promise<ToldHistory> {
  const rows = await billing.database.query<Said & { occurred_at: Date }>(
    `select id, type, version, aggregate, occurred_at, data from outbox
     where key = $1 and type in ('billing.payment-confirmed', 'billing.payment-reversed',
       'billing.payment-reversal-undone', 'billing.subscription-changed')
     order by position`,
    [accountId],
  );
  const moved = (at: Date) => new Date(at.getTime() - since.getTime() + BEGIN.getTime());
  const instants = (_: string, value: unknown) =>
    typeof value === 'string' && INSTANT.test(value) ? moved(new Date(value)).toISOString() : value;
  const said = rows.map(({ occurred_at: at, data, ...row }, order) => ({
    ...row,
    order,
    at: moved(at),
    data: JSON.parse(JSON.stringify(data), instants) as object,
  })) as Said[];
  return { name, said, lines: linesOf(said) };
}

function linesOf(said: readonly Said[]): BoughtLine[] {
  const lines = new Map<string, BoughtLine>();
  for (const { type, data } of said) {
    if (type === 'billing.payment-confirmed') {
      for (const line of data.lines)
        if (!lines.has(line.lineId)) lines.set(line.lineId, bought(line));
    } else if (type === 'billing.payment-reversed') {
      for (const { lineId, refundedMicros, paidMicros, ...scope } of data.lines) {
        const line = lines.get(lineId)!;
        const { reversals } = line;
        line.paid = BigInt(paidMicros);
        const before = reversals.get(data.reversalId);
        reversals.set(data.reversalId, {
          isFinal: data.phase === 'final' || before?.isFinal === true,
          isUndone: before?.isUndone === true,
          refunded: BigInt(refundedMicros),
          ...(scope.scope === 'remaining' && { from: new Date(scope.from!) }),
        });
      }
    } else if (type === 'billing.payment-reversal-undone') {
      for (const { reversals } of lines.values()) {
        const taken = reversals.get(data.reversalId);
        if (taken) taken.isUndone = true;
      }
    }
  }
  return [...lines.values()];
}

function bought(line: PaymentConfirmed['lines'][number]): BoughtLine {
  const of = { id: line.lineId, paid: BigInt(line.amountMicros), reversals: new Map() };
  if (line.kind === 'package') return { ...of, credits: Number(line.credits) };
  if (line.kind !== 'subscription' && line.kind !== 'subscription_upgrade') return of;
  const { interval, periodStart, periodEnd, from, monthlyCredits } = line;
  const [start, end] = [new Date(periodStart), new Date(periodEnd)];
  const monthly = Number(monthlyCredits);
  return { ...of, stretch: { interval, start, end, from: new Date(from), monthly } };
}
