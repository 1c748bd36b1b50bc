import { setTimeout as sleep } from 'node:timers/promises';
import { holds } from './broken.js';
import { type InstallationHarness } from '../scenario.js';
import type { Customer } from './customer.js';
import { type LoadCounts, sum } from './load.js';

/** The time within which every event is handled once its obstacle is gone. */
const EVENT_LATE_MS = 12_000;
/** A gateway settles every 100 ms; the rest of this time is that of the request. */
const SETTLE_INTERVAL_MS = 250;

interface Traffic {
  lookupsPerSecond?: number;
  /** The number of payments, each of which must become credits. */
  paymentsPerSecond?: number;
  origins?: string[];
  /** The accounts that look up names and pay; by default the regulars. */
  customers?: Customer[];
  /** Set if every gateway knows the customers who look up names and others pay; then no lookup may be refused. */
  isSteady?: boolean;
}

/**
 * Runs a fault during lookups and payments, then waits until everything has come to rest and checks it.
 * @param fault returns the times at which gateways were killed; each may leave one settle interval of answers unbilled.
 * @param outageMs how long events could not be delivered.
 */
export async function underTraffic(
  harness: InstallationHarness,
  { lookupsPerSecond = 10, paymentsPerSecond = 1, origins, customers, isSteady = false }: Traffic,
  fault: () => Promise<{ gatewayKillsAt?: number[]; outageMs?: number } | void>,
): Promise<LoadCounts> {
  const { installation } = harness;
  const all = customers ?? installation.regulars;
  const [asking, payers] = isSteady ? [all.slice(1), all.slice(0, 1)] : [all, all];
  if (isSteady) await makeKnown(harness, asking);
  const load = installation.load(lookupsPerSecond, origins, asking);
  const paying = payments(harness, paymentsPerSecond, payers);
  let told: { gatewayKillsAt?: number[]; outageMs?: number };
  let counts: LoadCounts;
  try {
    await sleep(500);
    told = (await fault()) ?? {};
    await sleep(500);
  } finally {
    await paying.stop();
    counts = await load.stop();
  }
  harness.count('lookups answered', counts.answered);
  for (const [code, count] of Object.entries(counts.refused))
    harness.count(`refused ${code}`, count);
  for (const [cause, count] of Object.entries(counts.lost)) harness.count(`lost ${cause}`, count);
  holds(counts.answered > 0, 'no lookup was answered at all');
  holds(!isSteady || sum(counts.refused) === 0, `refused: ${JSON.stringify(counts.refused)}`);
  holds(!('insufficient_credits' in counts.refused), 'a customer with credits was answered 402');
  await checkRest(harness, told);
  return counts;
}

/** Waits after a fault until everything has come to rest, and checks everything that must hold. */
export async function checkRest(
  harness: InstallationHarness,
  { gatewayKillsAt = [], outageMs = 0 }: { gatewayKillsAt?: number[]; outageMs?: number } = {},
): Promise<void> {
  const { book, checker } = harness.installation;
  const unbilledMax = gatewayKillsAt
    .map((at) => book.answeredBetween(at - SETTLE_INTERVAL_MS, at + SETTLE_INTERVAL_MS))
    // A busy machine may notice a death long after the answer during which it happened.
    .map((answers) => Math.max(1, answers))
    .reduce((total, answers) => total + answers, 0);
  const found = await checker.check({ unbilledMax });
  harness.count('credits charged', found.charged);
  harness.count('unbilled', found.unbilled);
  if (found.chargedInDoubt > 0) harness.count('charged, line broken', found.chargedInDoubt);
  harness.count('events', found.events);
  harness.worst('slowest event ms', found.slowestEventMs);
  const lateMs = EVENT_LATE_MS + outageMs;
  holds(
    found.slowestEventMs <= lateMs,
    `an event was handled ${found.slowestEventMs} ms after its commit`,
  );
}

async function makeKnown(
  { installation }: InstallationHarness,
  customers: Customer[],
): Promise<void> {
  for (const origin of installation.apiOrigins) {
    for (const customer of customers) await customer.lookUp(origin);
  }
}

function payments(
  { installation, count }: InstallationHarness,
  perSecond: number,
  payers: Customer[],
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    for (let n = 0; perSecond > 0 && !signal.aborted; n++) {
      const { accountId } = payers[n % payers.length];
      await installation.pay(accountId);
      count('payments');
      await sleep(1000 / perSecond, undefined, { signal }).catch(() => {});
    }
  };
  const running = run();
  // Errors are handled by the caller that stops it.
  running.catch(() => {});
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
