import { runOwnProcess } from '../own-process.js';
import { holds } from '../environment/broken.js';
import { type ApartScenario, type Harness } from '../scenario.js';

const HISTORIES = 10_000;
const LONG_HISTORIES = 100_000;
const LIMIT_MS = 10 * 60_000;
const MAIN = new URL('../../sim/main.js', import.meta.url).pathname;

/** The part of `npm run sim -- --json` that is read here. */
interface Figures {
  histories: number;
  steps: number;
  crashes: number;
  failed: number[];
  shown: { seed: number; violations: string[]; replay: string }[];
}

export const simulationRow: ApartScenario = {
  name: 'simulated histories',
  fault:
    'the same code under a virtual clock: crashes between any two awaits, duplicates, delays, cuts',
  expectation: `all of ${HISTORIES} histories keep every promise`,
  isApart: true,
  run: simulate,
};

async function simulate({ isLong, random, count }: Harness): Promise<void> {
  const histories = isLong ? LONG_HISTORIES : HISTORIES;
  const from = random.between(1, 1_000_000);
  const { report, end } = await runOwnProcess<Figures>(
    (file) => [MAIN, '--histories', histories, '--from', from, '--no-payments', '--json', file],
    { limitMs: isLong ? 10 * LIMIT_MS : LIMIT_MS },
  );
  holds(report !== undefined, end);
  const { steps, crashes, failed, shown, histories: done } = report;
  count('histories', done);
  count('steps', steps);
  count('crashes', crashes);
  count('first seed', from);
  holds(done === histories, 'histories are missing');
  const first = shown.at(0);
  holds(
    failed.length === 0,
    `${failed.length} broke a promise: ${first?.violations[0]}; ${first?.replay}`,
  );
}
