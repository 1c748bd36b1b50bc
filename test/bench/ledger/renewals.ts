import { PaymentConfirmed, type PaymentLine } from '#libs/contracts';
import { Outbox } from '#libs/messaging';
import { addMonths, newId } from '#libs/platform';
import type { EntitlementUnderTest } from '../../entitlement/entitlement-under-test.js';
import { waitFor } from '../../environment/index.js';
import type { BenchRow } from '../bench.js';

const ACCOUNTS = 2_000;
const WRITTEN_AT_ONCE = 200;
const PERIODS = 3;
const TARGET = 500;
const DRAIN_LIMIT_MS = 120_000;

interface Customer {
  accountId: string;
  subscriptionId: string;
}

/** Payments of a month, announced by billing's outbox and heard through the inbox. */
export async function measure(entitlement: EntitlementUnderTest): Promise<BenchRow[]> {
  const billing = await entitlement.test.service('billing');
  const outbox = new Outbox('billing', entitlement.clock, entitlement.transport);
  const customers = Array.from({ length: ACCOUNTS }, () => ({
    accountId: newId(),
    subscriptionId: newId(),
  }));
  const begin = entitlement.clock.now();
  const rates: number[] = [];
  for (let period = 0; period < PERIODS; period++) {
    entitlement.clock.set(addMonths(begin, period));
    for (let first = 0; first < ACCOUNTS; first += WRITTEN_AT_ONCE) {
      await billing.transaction(async (transaction) => {
        for (const customer of customers.slice(first, first + WRITTEN_AT_ONCE)) {
          const { accountId: key } = customer;
          const payment = paymentOf(customer, begin, period);
          const aggregate = `payment:${payment.paymentId}`;
          const lock = await outbox.lock(transaction, { key, aggregate });
          await outbox.add(transaction, lock, PaymentConfirmed, payment);
        }
      });
    }
    rates.push(ACCOUNTS / (await drainSeconds(entitlement)));
  }
  const rate = rates.at(-1) as number;
  return [
    { what: 'first payments of a subscription', value: rates[0], unit: 'events/s' },
    {
      what: 'renewals by one entitlement',
      value: rate,
      unit: 'events/s',
      target: `≥ ${TARGET} events/s`,
      ok: rate >= TARGET,
    },
  ];
}

function paymentOf({ subscriptionId }: Customer, begin: Date, period: number): PaymentConfirmed {
  const [periodStart, periodEnd] = [addMonths(begin, period), addMonths(begin, period + 1)].map(
    (at) => at.toISOString(),
  );
  const line: PaymentLine = {
    lineId: newId(),
    kind: 'subscription',
    sku: 'api-15K-month',
    quantity: 1,
    amountMicros: '19000000',
    subscriptionId,
    interval: 'month',
    periodStart,
    periodEnd,
    from: periodStart,
    monthlyCredits: '15000',
  };
  return {
    paymentId: newId(),
    amountMicros: line.amountMicros,
    currency: 'USD',
    catalogueVersion: '2026-11',
    lines: [line],
  };
}

/** What waits in billing's outbox, from the start of its relay until all is handled. @throws when any has failed. */
export async function drainSeconds({
  test,
  transport,
  database,
}: EntitlementUnderTest): Promise<number> {
  const maintenance = await test.maintenance('billing');
  const startedAt = performance.now();
  await transport.startRelay('billing', maintenance);
  await waitFor(
    'every payment to be handled',
    async () => {
      const left = await maintenance.query('select from outbox where sent_at is null limit 1');
      return left.length === 0;
    },
    DRAIN_LIMIT_MS,
  );
  const seconds = (performance.now() - startedAt) / 1000;
  await transport.stopRelay('billing');
  const [{ failed }] = await database.query<{ failed: number }>(
    'select count(*)::int as failed from failed_event',
  );
  if (failed > 0) throw new Error(`${failed} payments have failed`);
  return seconds;
}
