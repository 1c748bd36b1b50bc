import { setTimeout as sleep } from 'node:timers/promises';
import type { Harness } from '../scenario.js';
import { holds } from './broken.js';
import type { Customer } from './customer.js';
import { NoAnswer } from './http.js';

/** The time within which every event is handled once its obstacle is gone. */
const EVENT_LATE_MS = 12_000;
/** A gateway settles every 100 ms; the rest of this time is that of the request. */
const SETTLE_INTERVAL_MS = 250;

interface Traffic {
  lookupsPerSecond?: number;
  /** The number of payments, each of which must become credits. */
  paymentsPerSecond?: number;
  /** The accounts that look up names and pay; by default the regulars. */
  customers?: Customer[];
  /** The addresses of the API that are asked; by default those of all gateways. */
  origins?: string[];
  /** Set if every gateway knows the customers who look up names and others pay; then every lookup must be answered. */
  isSteady?: boolean;
}

/** What a fault did. */
interface Damage {
  /** The times at which gateways were killed; each may leave one settle interval of answers unbilled. */
  gatewayKillsAt?: number[];
  /** How long events could not be delivered. */
  outageMs?: number;
}

/** Runs a fault during lookups and payments, then waits until everything has come to rest and checks it. */
export async function underTraffic(
  harness: Harness,
  traffic: Traffic,
  fault: () => Promise<Damage | void>,
): Promise<void> {
  const { installation, count } = harness;
  const { lookupsPerSecond = 10, paymentsPerSecond = 1, customers, isSteady = false } = traffic;
  const all = customers ?? installation.regulars;
  const [asking, payers] = isSteady ? [all.slice(1), all.slice(0, 1)] : [all, all];
  const { origins = installation.apiOrigins } = traffic;
  if (isSteady) {
    for (const origin of origins) for (const customer of asking) await customer.lookUp(origin);
  }
  const outcomes: Record<string, number> = {};
  const loads = [
    steadily(lookupsPerSecond, async (number) => {
      const origin = origins[Math.floor(number / asking.length) % origins.length];
      const outcome = await outcomeOf(asking[number % asking.length], origin);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }),
    steadily(paymentsPerSecond, async (number) => {
      await installation.pay(payers[number % payers.length].accountId);
      count('payments');
    }),
  ];
  let damage: Damage | void;
  try {
    await sleep(500);
    damage = await fault();
    await sleep(500);
  } finally {
    for (const stop of loads) await stop();
  }
  for (const [outcome, times] of Object.entries(outcomes)) count(`lookups ${outcome}`, times);
  const others = Object.keys(outcomes).filter((outcome) => outcome !== 'answered');
  holds(outcomes.answered > 0, 'no lookup was answered at all');
  holds(!isSteady || others.length === 0, `there were lookups ${others.join(', ')}`);
  const isRejected = others.includes('refused insufficient_credits');
  holds(!isRejected, 'a customer with credits was answered 402');
  await checkRest(harness, damage ?? {});
}

/** Waits after a fault until everything has come to rest, and checks everything that must hold. */
export async function checkRest(
  { installation, count, worst }: Harness,
  { gatewayKillsAt = [], outageMs = 0 }: Damage = {},
): Promise<void> {
  const { book, checker } = installation;
  const isNear = (kill: number) => (at: number) => Math.abs(at - kill) <= SETTLE_INTERVAL_MS;
  const unbilledMax = gatewayKillsAt
    .map((kill) => book.answeredAt.filter(isNear(kill)).length)
    // A busy machine may notice a death long after the answer during which it happened.
    .reduce((total, answers) => total + Math.max(1, answers), 0);
  const { unbilled, events, slowestEventMs } = await checker.check(unbilledMax);
  count('unbilled', unbilled);
  count('events', events);
  worst('slowest event ms', slowestEventMs);
  const late = `an event was handled ${slowestEventMs} ms after its commit`;
  holds(slowestEventMs <= EVENT_LATE_MS + outageMs, late);
}

/** `answered`, or the code of a refusal, or the cause of a loss. */
async function outcomeOf(customer: Customer, origin: string): Promise<string> {
  try {
    const { status, body } = await customer.lookUpOnce(origin);
    return status === 200 ? 'answered' : `refused ${body?.code ?? status}`;
  } catch (error) {
    if (error instanceof NoAnswer) return `lost ${error.message}`;
    throw error;
  }
}

/**
 * Starts some work at a steady rate, whether or not earlier work has ended.
 * @returns a function that stops this and waits for the work in progress.
 */
function steadily(perSecond: number, work: (number: number) => Promise<void>): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const underWay: Promise<void>[] = [];
  const startedAt = performance.now();
  const run = async () => {
    while (perSecond > 0 && !signal.aborted) {
      const one = work(underWay.length);
      // Errors are handled by the caller that stops it.
      one.catch(() => {});
      underWay.push(one);
      const dueAt = startedAt + (underWay.length * 1000) / perSecond;
      await sleep(Math.max(0, dueAt - performance.now()), undefined, { signal }).catch(() => {});
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
    await Promise.all(underWay);
  };
}
