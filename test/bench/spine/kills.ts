import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import type { BenchRow } from '../bench.js';
import type { FigureOptions } from '../spine.bench.js';
import { GATEWAYS, SpineField } from './field.js';

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
  const { kills, granted: later } = await killInTurn(field, endMs - KILL_EVERY_MS);
  const answers = await running;
  // Leases whose journal did not reach entitlement end by themselves within a minute.
  const after = await field.settledCredits();
  const granted = before.left + GRANT + later;
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

/**
 * Those that are up in turn; one that is still starting is left alone, as a busy machine takes longer than
 * the others' turns. @returns how many were killed, and what was granted meanwhile.
 */
async function killInTurn(
  field: SpineField,
  untilMs: number,
): Promise<{ kills: number; granted: number }> {
  const gateways = field.cluster.gateways.map(({ process }) => process as ServiceProcess);
  const starting = new Map<ServiceProcess, Promise<void>>();
  let [kills, turn, granted] = [0, 0, 0];
  while (performance.now() < untilMs) {
    await sleep(KILL_EVERY_MS);
    await field.grant(GRANT);
    granted += GRANT;
    const gateway = gateways
      .map(() => gateways[turn++ % GATEWAYS])
      .find((each) => !starting.has(each));
    if (!gateway) continue;
    turn = gateways.indexOf(gateway) + 1;
    gateway.kill('SIGKILL');
    kills++;
    starting.set(
      gateway,
      restart(gateway).finally(() => starting.delete(gateway)),
    );
    if (kills % 6 === 0) process.stderr.write(`    ${kills} kills\n`);
  }
  await Promise.all(starting.values());
  return { kills, granted };
}

async function restart(gateway: ServiceProcess): Promise<void> {
  try {
    await gateway.untilEnded();
    await gateway.start();
  } catch (error) {
    const [line] = String(error).split('\n', 1);
    process.stderr.write(`    a gateway did not start: ${line.slice(0, 300)}\n`);
  }
}
