import { kafkaAvailability } from '#test/environment';
import { runOwnProcess } from '../own-process.js';
import { type ApartScenario, type Harness, holds } from '../scenario.js';

const HISTORIES = 200;
const LIMIT_MS = 15 * 60_000;
const MAIN = new URL('../../entitlement/histories/main.js', import.meta.url).pathname;

export const creditHistoriesRow: ApartScenario = {
  name: 'credit histories over Kafka',
  fault:
    "a customer's events shuffled, repeated, up to 25 days late and with snapshots left out, over a broker",
  expectation: `all of ${HISTORIES} histories end in what the money bought, shuffled ones in the same rows`,
  isApart: true,
  isLong: true,
  missing: kafkaAvailability,
  run: replay,
};

/** Runs with a database and a broker of its own. */
async function replay({ random, count }: Harness): Promise<void> {
  const from = random.between(1, 1_000_000);
  const { code, report, end } = await runOwnProcess<Record<string, number>>(
    (file) => [MAIN, '--kafka', '--histories', HISTORIES, '--from', from, '--json', file],
    { limitMs: LIMIT_MS },
  );
  holds(code === 0 && report !== undefined, end);
  const { histories, events } = report;
  count('histories', histories);
  count('events', events);
  count('first seed', from);
  holds(histories === HISTORIES, 'histories are missing');
}
