import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchRow } from './bench.js';
import { cleanup } from './cleanup.js';
import type { FigureOptions } from './spine.bench.js';
import { GATEWAYS, SpineField } from './spine-field.js';

const CLIENTS = 48;
const RATE = 600;
const KILL_EVERY_MS = 5_000;
const SETTLE_INTERVAL_MS = 100;
const MINUTES = 5;
const MINUTES_SHORT = 0.5;

/**
 * A gateway is killed every 5 seconds, each in turn, and started again, under load of one account. What
 * customers were given is counted by them, what they paid by entitlement's books.
 */
export async function measure({ isShort }: FigureOptions): Promise<BenchRow[]> {
  const field = await SpineField.open();
  await field.setLimit('live', 1_000_000);
  await field.grant(1_000_000);
  const before = await field.settledCredits();
  const durationMs = (isShort ? MINUTES_SHORT : MINUTES) * 60_000;
  const endMs = performance.now() + durationMs;
  const load = { clients: CLIENTS, ratePerSecond: RATE, untilMs: endMs };
  const running = field.fleet.hammer(load);
  let kills = 0;
  while (performance.now() < endMs - KILL_EVERY_MS) {
    await sleep(KILL_EVERY_MS);
    const { process: gateway } = field.cluster.gateways[kills++ % GATEWAYS];
    gateway.kill('SIGKILL');
    void gateway.start().catch((error: unknown) => {
      process.stderr.write(`    a gateway did not start: ${String(error)}\n`);
    });
    if (kills % 6 === 0) process.stderr.write(`    ${kills} kills\n`);
  }
  const answers = await running;
  await Promise.all(field.cluster.gateways.map(async ({ process: gateway }) => gateway.start()));
  // Leases whose journal did not reach entitlement end by themselves within a minute.
  const after = await field.settledCredits();
  await cleanup.run();
  const booked = after.consumed - before.consumed;
  const delivered = answers.filter(({ status, cost }) => status === 200 && cost === 1).length;
  const cut = answers.filter(({ status }) => status === 0).length;
  const lost = Math.max(0, delivered - booked);
  const doubled = Math.max(0, booked - delivered - cut);
  const oversold = Math.max(0, booked - before.left) + after.debt;
  const bound = (RATE * SETTLE_INTERVAL_MS) / 1000;
  const row = (what: string, value: number, most: number): BenchRow => ({
    what,
    value,
    unit: 'credits',
    target: `≤ ${most}`,
    ok: value <= most,
  });
  return [
    { what: `kills: kill -9 of a gateway at ${RATE} req/s`, value: kills, unit: 'kills' },
    { what: 'kills: answers delivered', value: delivered, unit: 'requests' },
    { what: 'kills: requests without an answer', value: cut, unit: 'requests' },
    row('kills: oversold', oversold, 0),
    row('kills: charged twice', doubled, 0),
    row('kills: delivered and not charged, a kill', kills > 0 ? lost / kills : lost, bound),
  ];
}
