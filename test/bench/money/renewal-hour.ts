import { SECOND_MS } from '#libs/platform';
import type { Callback } from '../../../apps/simulators/src/payments/callback-sender.js';
import { CrashWorld } from '../../billing/crashes/crash-world.js';
import { type BenchRow, atLeast, atMost, inLanes } from '../bench.js';
import { cleanup } from '../cleanup.js';
import { seedSubscriptions } from './seeded-subscriptions.js';

const FULL = 100_000;
const HOUR_SECONDS = 3_600;
const CALLS_TARGET = 2;
/** The default setting; Stripe's limit is 100. */
const CALLS_PER_SECOND = 80;
/** After a pause, the rate limit lets a quarter of a second's calls through at once. */
const BURST = 1.25;
/** A process whose memory is flat grows by at most this much between two measurements. */
const GROWTH_MAX = 1.25;
const PARTS = 5;
/** The number of callbacks that the processor sends at once. */
const AT_ONCE = 8;
/** The maximum number of attempts for a callback that is not accepted. */
const ATTEMPTS_MAX = 5;

/**
 * Subscriptions that renew within the same hour, handled by billing in a separate process. Each minute of that hour
 * begins as soon as the one before is handled.
 */
export async function renewalHour(
  count: number,
  perSecond = CALLS_PER_SECOND,
): Promise<BenchRow[]> {
  const world = await CrashWorld.open({ processorCallsPerSecond: perSecond });
  cleanup.add(() => world.close());
  const { billing } = world;
  await billing.start();
  const minutes = await seedSubscriptions(world, count);
  const calls = new CallCounter(world.simulator.stripe);
  const memory: number[] = [];
  let repeats = 0;
  const { cpuSeconds: before } = await billing.usage();
  const startedMs = performance.now();
  for (const [at, time] of minutes.entries()) {
    repeats += await renewUntil(world, time);
    if ((at + 1) % (minutes.length / PARTS) !== 0) continue;
    memory.push((await billing.usage()).residentMb);
    const done = `${((at + 1) * count) / minutes.length} renewals, ${calls.all} calls`;
    process.stderr.write(`  ${done}, ${Math.round(memory.at(-1)!)} MB\n`);
  }
  calls.stop();
  const seconds = (performance.now() - startedMs) / SECOND_MS;
  const cpuSeconds = (await billing.usage()).cpuSeconds - before;
  await expectRenewed(world, count);
  const what = `${count.toLocaleString('en')} renewals due in one hour`;
  const [each, rate] = [calls.all / (count + 1), count / seconds];
  const most = GROWTH_MAX * memory[0];
  const minutesOfAll = { value: FULL / rate / 60, unit: 'min' };
  return [
    atMost(`${what}: calls to the processor per renewal`, each, CALLS_TARGET),
    atMost(`${what}: calls in the busiest second`, calls.busiest, BURST * perSecond),
    atMost(`${what}: callbacks that were not accepted at first`, repeats, 0),
    atMost(`${what}: errors that billing logged`, billing.errors.length, 0),
    atLeast(`${what}: imported by billing`, rate, FULL / HOUR_SECONDS, '/s'),
    {
      what: `${what}: billing's processor time per renewal`,
      value: (cpuSeconds * SECOND_MS) / count,
      unit: 'ms',
    },
    { what: `${FULL.toLocaleString('en')} at that rate`, ...minutesOfAll },
    { what: 'memory of billing after the first fifth', value: memory[0], unit: 'MB' },
    atMost('memory of billing after the last', memory.at(-1)!, Math.round(most), 'MB'),
  ];
}

/**
 * Stripe bills each customer whose month is over and sends callbacks, which billing handles.
 * @returns how many callbacks were not accepted at first and were sent again.
 */
async function renewUntil({ clock, simulator, billing }: CrashWorld, time: Date): Promise<number> {
  clock.set(time);
  simulator.callbacks.hold();
  simulator.clock.runDue();
  const held = simulator.callbacks.takeHeld();
  const { secret } = simulator.callbacks.target!;
  let repeats = 0;
  await inLanes(held, AT_ONCE, async (callback: Callback) => {
    const call = { body: Buffer.from(callback.body), headers: callback.headers(secret) };
    for (let attempt = 1; ; attempt += 1) {
      const { status } = await billing.call('POST', 'callbacks/stripe', call);
      if (status === 200) return;
      if (status < 500 || attempt === ATTEMPTS_MAX) {
        throw new Error(`a callback was answered ${status}; ${billing.errors.join('; ')}`);
      }
      repeats += 1;
    }
  });
  await billing.runJob('SyncObjectsJob');
  return repeats;
}

/** Calls to the processor: all of them, and how many in the busiest second. */
class CallCounter {
  busiest = 0;
  private readonly before: number;
  private seen: number;
  private readonly watch = setInterval(() => this.look(), SECOND_MS);

  constructor(private readonly stripe: { readonly calls: number }) {
    this.before = stripe.calls;
    this.seen = this.before;
  }

  get all(): number {
    return this.stripe.calls - this.before;
  }

  stop(): void {
    clearInterval(this.watch);
  }

  private look(): void {
    const { calls } = this.stripe;
    this.busiest = Math.max(this.busiest, calls - this.seen);
    this.seen = calls;
  }
}

/** @throws unless each renewal was paid and stored once, and nothing is left to do. */
async function expectRenewed({ database, billing }: CrashWorld, count: number): Promise<void> {
  const [{ paid, due }] = await database.query<Record<'paid' | 'due', number>>(
    `select (select count(*) from payments)::int as paid,
       (select count(*) from work where queue = 'processor-objects')::int as due`,
  );
  process.stderr.write(billing.errors.map((line) => `${line}\n`).join(''));
  // The copies, and the purchased subscription itself.
  if (paid === 2 * (count + 1) && due === 0) return;
  throw new Error(`${paid} payments of ${count} renewals, ${due} objects due`);
}
