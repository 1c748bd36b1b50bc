import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventClassOf } from '#libs/contracts';
import { Outbox } from '#libs/messaging';
import { HOUR_MS, SECOND_MS, addMonths } from '#libs/platform';
import { type RecordedEvent, recordedEvents, waitFor } from '#test/environment';
import type { BillingUnderTest } from '../../billing/billing-under-test.js';
import { EntitlementUnderTest } from '../../entitlement/entitlement-under-test.js';
import { type BenchRow, atLeast, atMost } from '../bench.js';
import { cleanup } from '../cleanup.js';
import { CallCounter } from './renewal-hour.js';
import { deliverAll, expectPayments, heldDuring } from './callbacks.js';

const PARTS = 5;
const WRITTEN_AT_ONCE = 200;
const CALLS_TARGET = 2;
const EVENTS_TARGET = 500;
const DRAIN_LIMIT_MS = 120_000;
const MEBIBYTE = 2 ** 20;

/** Every subscription of the simulated Stripe ends its month: what billing asks of it, and what entitlement makes of it. */
export async function renewals(billing: BillingUnderTest): Promise<BenchRow[]> {
  const { simulator, clock } = billing;
  const count = simulator.world.all('subscription').length;
  const earlier = await recordedEvents(billing.database);
  clock.set(new Date(addMonths(clock.now(), 1).getTime() + HOUR_MS));
  const held = await heldDuring(billing, () => simulator.clock.runDue());
  const heaps: number[] = [];
  const counter = new CallCounter(simulator.stripe);
  const startedMs = performance.now();
  const size = Math.ceil(held.length / PARTS);
  for (let first = 0; first < held.length; first += size) {
    await deliverAll(billing, held.slice(first, first + size));
    heaps.push(heapMb());
  }
  counter.stop();
  const seconds = (performance.now() - startedMs) / SECOND_MS;
  await expectPayments(billing, 2 * count);
  const each = counter.all / count;
  const later = (await recordedEvents(billing.database)).slice(earlier.length);
  const what = `${count} renewals due at once`;
  return [
    atMost(`${what}: calls to the processor for each`, each, CALLS_TARGET),
    { what: `${what}: calls in the busiest second`, value: counter.busiest, unit: '' },
    { what: `${what}: taken over by billing`, value: count / seconds, unit: '/s' },
    { what: 'heap after the first fifth', value: heaps[0], unit: 'MB' },
    { what: 'heap after the last', value: heaps.at(-1)!, unit: 'MB' },
    await throughEntitlement(earlier, later),
  ];
}

/** Billing's own events: the first month's beforehand, the renewals' timed. */
async function throughEntitlement(
  earlier: readonly RecordedEvent[],
  later: readonly RecordedEvent[],
): Promise<BenchRow> {
  const entitlement = await EntitlementUnderTest.start(new Date().toISOString());
  cleanup.add(() => entitlement.stop());
  await publish(entitlement, earlier);
  await drainSeconds(entitlement);
  await publish(entitlement, later);
  const rate = later.length / (await drainSeconds(entitlement));
  const what = `the ${later.length} events of the renewals through entitlement`;
  return atLeast(what, rate, EVENTS_TARGET, 'events/s');
}

async function publish(
  { test, clock, transport }: EntitlementUnderTest,
  events: readonly RecordedEvent[],
): Promise<void> {
  const billing = await test.service('billing');
  const outbox = new Outbox('billing', clock, transport);
  for (let first = 0; first < events.length; first += WRITTEN_AT_ONCE) {
    await billing.transaction(async (transaction) => {
      for (const { type, key, aggregate, data } of events.slice(first, first + WRITTEN_AT_ONCE)) {
        const lock = await outbox.lock(transaction, { key, aggregate });
        await outbox.add(transaction, lock, eventClassOf(type, 1)!, data);
      }
    });
  }
}

/** Seconds from the start of billing's relay until its outbox is handled. @throws when an event has failed. */
async function drainSeconds({ test, transport, database }: EntitlementUnderTest): Promise<number> {
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

let collect: (() => void) | undefined;

/** The heap of objects that are still needed. */
function heapMb(): number {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
  return process.memoryUsage().heapUsed / MEBIBYTE;
}
