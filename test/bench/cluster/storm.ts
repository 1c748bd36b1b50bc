import type { BenchRow } from '../bench.js';
import type { FigureOptions } from '../cluster.bench.js';
import { GATEWAYS, BenchCluster } from './bench-cluster.js';
import { countByAnswer } from './load.js';

const CLIENTS = 64;
const REQUESTS = 10_000;
const CREDITS = 5_000;
const TEST_LIMIT = 1_000_000;

/**
 * 64 clients, three gateways, one key: twice as many requests for distinct names as there are credits.
 * Each repetition must serve exactly the credits and leave nothing. Lookup is a stand-in that answers
 * every name at once.
 */
export async function measure({ isShort }: FigureOptions): Promise<BenchRow[]> {
  const repetitions = isShort ? 3 : 20;
  const field = await BenchCluster.open();
  await field.setLimit('live', TEST_LIMIT);
  const [served, off]: [number[], number[]] = [[], []];
  let [elapsedMs, unserved] = [0, 0];
  for (let repetition = 0; repetition < repetitions; repetition++) {
    await field.haveExactly(CREDITS);
    const before = await field.credits();
    const startedMs = performance.now();
    const answers = await field.fleet.hammer({ clients: CLIENTS, requests: REQUESTS });
    elapsedMs += performance.now() - startedMs;
    const paid = answers.filter(({ status, cost }) => status === 200 && cost === 1).length;
    const free = answers.filter(({ status, cost }) => status === 200 && cost === 0).length;
    unserved += answers.filter(({ status }) => status !== 200 && status !== 402).length;
    const after = await field.settledCredits();
    served.push(paid + free);
    off.push(
      Math.abs(paid - CREDITS) + free + Math.abs(after.consumed - before.consumed - CREDITS),
    );
    process.stderr.write(`    ${JSON.stringify(countByAnswer(answers))}\n`);
    process.stderr.write(
      `    repetition ${repetition + 1}: ${paid} served, ${free} free, ${after.consumed - before.consumed} booked, ${after.left} left\n`,
    );
  }
  const exact = off.filter((wrong) => wrong === 0).length;
  return [
    {
      what: `storm, ${GATEWAYS} gateways: repetitions that served and booked exactly ${CREDITS} of ${REQUESTS}`,
      value: exact,
      unit: `of ${repetitions}`,
      target: `= ${repetitions}`,
      ok: exact === repetitions,
    },
    { what: 'storm: most served in a repetition', value: Math.max(...served), unit: 'requests' },
    { what: 'storm: answers other than 200 and 402', value: unserved, unit: 'requests' },
    { what: 'storm: rate', value: (repetitions * REQUESTS * 1000) / elapsedMs, unit: 'req/s' },
  ];
}
