import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../apps/cluster/src/processes/service-process.js';
import type { BenchRow } from './bench.js';
import type { FigureOptions } from './spine.bench.js';
import { GATEWAYS, SpineField } from './spine-field.js';

const CLIENTS = 48;
const RATE = 600;
const KILL_EVERY_MS = 5_000;
const SETTLE_INTERVAL_MS = 100;
const MINUTES = 5;
const MINUTES_SHORT = 0.5;
/** Granted before each kill: less than is asked for until the next, so that gateways contend for the last. */
const GRANT = 2_000;

/**
 * A gateway is killed every 5 seconds, each in turn, and started again, under load of one account that
 * runs out of credits again and again. What customers were given is counted by them, what they paid by
 * entitlement's books.
 */
export async function measure({ isShort }: FigureOptions): Promise<BenchRow[]> {
  const field = await SpineField.open();
  await field.setLimit('live', 1_000_000);
  const before = await field.settledCredits();
  const lookedUpBefore = field.lookedUp;
  const endMs = performance.now() + (isShort ? MINUTES_SHORT : MINUTES) * 60_000;
  await field.grant(GRANT);
  const load = { clients: CLIENTS, ratePerSecond: RATE, untilMs: endMs };
  const running = field.fleet.hammer(load);
  const kills = await killInTurn(field, endMs - KILL_EVERY_MS);
  const answers = await running;
  await Promise.all(field.cluster.gateways.map(async ({ process: gateway }) => gateway.start()));
  // Leases whose journal did not reach entitlement end by themselves within a minute.
  const after = await field.settledCredits();
  const granted = before.left + GRANT * (kills + 1);
  const booked = after.consumed - before.consumed;
  const delivered = answers.filter(({ status }) => status === 200).length;
  const refused = answers.filter(({ status }) => status === 402).length;
  const unsent = answers.filter(({ isUnsent }) => isUnsent).length;
  const cut = answers.filter(({ status, isUnsent }) => status === 0 && !isUnsent).length;
  const chargeable = Math.min(delivered + cut, field.lookedUp - lookedUpBefore);
  const unbilled = Math.max(0, delivered - booked);
  const bound = (RATE * SETTLE_INTERVAL_MS) / 1000;
  const row = (what: string, value: number, most: number): BenchRow => ({
    what,
    value,
    unit: 'credits',
    target: `≤ ${most}`,
    ok: value <= most && kills > 0 && delivered > 0,
  });
  const count = (what: string, value: number): BenchRow => ({ what, value, unit: 'requests' });
  return [
    { what: `kills: kill -9 of a gateway at ${RATE} req/s`, value: kills, unit: 'kills' },
    count('kills: answers delivered', delivered),
    count('kills: refused for want of credits', refused),
    count('kills: never sent, as the gateway was away', unsent),
    count('kills: cut off by a kill', cut),
    { what: 'kills: credits granted and left at the end', value: after.left, unit: 'credits' },
    row('kills: oversold', Math.max(0, Math.max(delivered, booked) - granted) + after.debt, 0),
    row('kills: charged twice', Math.max(0, booked - chargeable), 0),
    row('kills: delivered and not charged, a kill', unbilled / Math.max(1, kills), bound),
  ];
}

/** @returns how many were killed. */
async function killInTurn(field: SpineField, untilMs: number): Promise<number> {
  let kills = 0;
  while (performance.now() < untilMs) {
    await sleep(KILL_EVERY_MS);
    const gateway = field.cluster.gateways[kills++ % GATEWAYS].process as ServiceProcess;
    gateway.kill('SIGKILL');
    void restart(gateway);
    await field.grant(GRANT);
    if (kills % 6 === 0) process.stderr.write(`    ${kills} kills\n`);
  }
  return kills;
}

async function restart(gateway: ServiceProcess): Promise<void> {
  try {
    await gateway.untilEnded();
    await gateway.start();
  } catch (error) {
    process.stderr.write(`    a gateway did not start: ${String(error)}\n`);
  }
}
