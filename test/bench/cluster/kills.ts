import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import { type BenchRow, atMost } from '../bench.js';
import type { FigureOptions } from '../cluster.bench.js';
import { GATEWAYS, BenchCluster } from './bench-cluster.js';
import { type Asked, countByAnswer } from './load.js';

const CLIENTS = 48;
const RATE = 600;
const KILL_EVERY_MS = 5_000;
/** Between two kills all gateways spend from the same credits for so long. */
const ALL_UP_MS = 1_000;
const SETTLE_INTERVAL_MS = 100;
const MINUTES = 5;
const MINUTES_SHORT = 0.5;
/** No divisor of the kills' interval: they fall before, at and after the end of the credits. */
const GRANT_EVERY_MS = 3_000;
/** A fourth of what two gateways answer until the next: they contend for the last, again and again. */
const GRANT = 300;

/** Credits given from outside while customers spend. */
interface Granting {
  granted: number;
  /** When each grant was made, in the milliseconds of `Asked`. */
  atMs: number[];
}

/**
 * A gateway is killed every 5 seconds, each in turn, and started again, under load of one account that
 * runs out of credits again and again. What customers were given is counted by them, what they paid by
 * entitlement's books. Oversold is what a gateway spent that it did not hold; what a kill took along before
 * it was written is a loss of ours, within its own bound, and is then delivered beyond what was granted.
 * @throws when credits seldom ran out: nobody could have oversold.
 */
export async function measure({ isShort }: FigureOptions): Promise<BenchRow[]> {
  const field = await BenchCluster.open();
  await field.setLimit('live', 1_000_000);
  await field.haveExactly(0);
  const before = await field.settledCredits();
  const uncoveredBefore = await field.uncovered();
  const lookedUpBefore = field.lookedUp;
  const endMs = performance.now() + (isShort ? MINUTES_SHORT : MINUTES) * 60_000;
  const load = { clients: CLIENTS, ratePerSecond: RATE, untilMs: endMs };
  const [answers, { granted, atMs }, kills] = await Promise.all([
    field.fleet.hammer(load),
    grantInTurn(field, endMs),
    killInTurn(field, endMs - KILL_EVERY_MS),
  ]);
  process.stderr.write(`    ${JSON.stringify(countByAnswer(answers))}\n`);
  const refused = answers.filter(({ status }) => status === 402);
  const busy = answers.filter(({ code }) => code === 'credits_busy');
  const exhausted = exhaustedGrants([...refused, ...busy], atMs);
  if (refused.length === 0 || exhausted < atMs.length / 2) {
    const seen = `${refused.length} requests refused, ${exhausted} of ${atMs.length} grants used up`;
    throw new Error(`the run is void: ${seen}`);
  }
  // Leases whose journal did not reach entitlement end by themselves within a minute.
  const after = await field.settledCredits();
  const booked = after.consumed - before.consumed;
  const uncovered = (await field.uncovered()) - uncoveredBefore;
  const delivered = answers.filter(({ status }) => status === 200).length;
  const unsent = answers.filter(({ isUnsent }) => isUnsent).length;
  const cut = answers.filter(({ status, isUnsent }) => status === 0 && !isUnsent).length;
  const chargeable = Math.min(delivered + cut, field.lookedUp - lookedUpBefore);
  const unbilled = Math.max(0, delivered - booked);
  const bound = (RATE * SETTLE_INTERVAL_MS) / 1000;
  const row = (what: string, value: number, most: number) => {
    const bound = atMost(what, value, most, 'credits');
    return { ...bound, ok: bound.ok === true && kills > 0 && delivered > 0 };
  };
  const count = (what: string, value: number): BenchRow => ({ what, value, unit: 'requests' });
  return [
    { what: `kills: kill -9 of a gateway at ${RATE} req/s`, value: kills, unit: 'kills' },
    count('kills: answers delivered', delivered),
    count('kills: refused for want of credits', refused.length),
    count('kills: refused as other gateways held the last credits', busy.length),
    { what: 'kills: grants that ran out', value: exhausted, unit: `of ${atMs.length}` },
    count('kills: never sent, as the gateway was away', unsent),
    count('kills: cut off by a kill', cut),
    { what: 'kills: credits granted and left at the end', value: after.left, unit: 'credits' },
    row('kills: oversold', Math.max(0, booked - granted) + uncovered + after.debt, 0),
    {
      what: 'kills: delivered beyond what was granted',
      value: Math.max(0, delivered - granted),
      unit: 'credits',
    },
    row('kills: charged twice', Math.max(0, booked - chargeable), 0),
    row('kills: delivered and not charged, a kill', unbilled / Math.max(1, kills), bound),
  ];
}

async function grantInTurn(field: BenchCluster, untilMs: number): Promise<Granting> {
  const granting: Granting = { granted: 0, atMs: [] };
  while (performance.now() < untilMs - GRANT_EVERY_MS) {
    await field.grant(GRANT);
    granting.granted += GRANT;
    granting.atMs.push(performance.now());
    await sleep(GRANT_EVERY_MS);
  }
  return granting;
}

/** How many grants ran out before the next: somebody who asked after the grant got nothing of it. */
function exhaustedGrants(refusals: Asked[], grantedAtMs: number[]): number {
  return grantedAtMs.filter((fromMs, index) => {
    const toMs = grantedAtMs.at(index + 1) ?? fromMs + GRANT_EVERY_MS;
    return refusals.some(({ startedMs }) => startedMs > fromMs && startedMs < toMs);
  }).length;
}

/** @returns how many were killed: one at a time, later than every 5 seconds where a start takes longer. */
async function killInTurn(field: BenchCluster, untilMs: number): Promise<number> {
  const gateways = field.cluster.gateways.map(({ process }) => process as ServiceProcess);
  let kills = 0;
  await sleep(KILL_EVERY_MS);
  while (performance.now() < untilMs) {
    const nextMs = performance.now() + KILL_EVERY_MS;
    const gateway = gateways[kills++ % GATEWAYS];
    gateway.kill('SIGKILL');
    await restart(gateway);
    await sleep(Math.max(ALL_UP_MS, nextMs - performance.now()));
    if (kills % 6 === 0) process.stderr.write(`    ${kills} kills\n`);
  }
  return kills;
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
