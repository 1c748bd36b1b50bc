import { setTimeout as sleep } from 'node:timers/promises';
import type { Harness } from '../scenario.js';
import { holds } from './patience.js';
import { type Customer, NoAnswer } from './customer.js';

/** The time within which every event must be handled once the fault has ended. */
const EVENT_LATE_MS = 12_000;
/** The settle interval of a gateway, 100 ms, plus the duration of a request. */
const SETTLE_INTERVAL_MS = 250;

interface Traffic {
  lookupsPerSecond?: number;
  paymentsPerSecond?: number;
  /** The accounts that look up names and pay; by default, the regular customers. */
  customers?: Customer[];
  /** The URLs of the API to which requests are sent; by default, those of all gateways. */
  origins?: string[];
  /**
   * Whether every lookup must be answered. For this, every gateway first caches the customers who look up names, and
   * another customer pays.
   */
  isSteady?: boolean;
}

interface Damage {
  /** The times at which gateways were killed. Each kill may leave the answers of one settle interval uncharged. */
  gatewayKillsAt?: number[];
  /** How long events could not be delivered. */
  outageMs?: number;
}

/**
 * Causes a fault during lookups and payments, waits until all work has finished, and checks the result.
 * @throws Broken with the first violation; the errors of `fault`.
 */
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
    for (const origin of origins) for (const customer of asking) await customer.lookUpAny(origin);
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

/** Waits after a fault until all work has finished, and checks everything that must hold. @throws Broken. */
export async function checkRest(
  { installation, count, worst }: Harness,
  { gatewayKillsAt = [], outageMs = 0 }: Damage = {},
): Promise<void> {
  const { book, checker } = installation;
  const isNear = (kill: number) => (at: number) => Math.abs(at - kill) <= SETTLE_INTERVAL_MS;
  const unbilledMax = gatewayKillsAt
    .map((kill) => book.answeredAt.filter(isNear(kill)).length)
    // On a busy machine, a kill may be noticed only long after the answer during which it happened.
    .reduce((total, answers) => total + Math.max(1, answers), 0);
  const { unbilled, events, slowestEventMs } = await checker.check(unbilledMax);
  count('unbilled', unbilled);
  count('events', events);
  worst('slowest event ms', slowestEventMs);
  const late = `an event was handled ${slowestEventMs} ms after its commit`;
  holds(slowestEventMs <= EVENT_LATE_MS + outageMs, late);
}

/** Makes a lookup. @returns `answered`, `refused` with the code or status, or `lost` with the reason. */
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
 * Starts some work at a steady rate, whether or not earlier work has finished.
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
      // The caller that stops the work handles its errors.
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
