import type { BillingUnderTest } from '../../billing/billing-under-test.js';

export const BEGIN = new Date('2026-01-31T00:00:00Z');
/** The length of a history in days. Afterwards, no new actions occur, but existing periods still end. */
export const HORIZON_DAYS = 400;
export const REST_DAYS = 150;

/** An event of billing that changes credits in entitlement, with its times moved to the common start. */
export interface Said {
  id: string;
  at: Date;
  order: number;
  aggregate: string;
  type: string;
  version: number;
  data: {
    subscriptionId?: string;
    reversalId?: string;
    phase?: string;
    lines?: { lineId: string }[];
  };
}

/** Billing's events about one customer in one history. */
export interface ToldHistory {
  name: string;
  accountId: string;
  said: readonly Said[];
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** @param since the time in billing that becomes `BEGIN`. */
export async function toldHistory(
  billing: BillingUnderTest,
  { name, accountId, since }: { name: string; accountId: string; since: Date },
): Promise<ToldHistory> {
  const rows = await billing.database.query<Omit<Said, 'at' | 'order'> & { occurred_at: Date }>(
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
    data: JSON.parse(JSON.stringify(data), instants) as Said['data'],
  }));
  return { name, accountId, said };
}
