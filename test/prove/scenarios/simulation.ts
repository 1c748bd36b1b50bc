import { LIMIT_MS, simulate } from '../../sim/run-command.js';
import { holds } from '../environment/broken.js';
import { type ApartScenario, type Harness } from '../scenario.js';

const HISTORIES = 10_000;
const LONG_HISTORIES = 100_000;

export const simulationRow: ApartScenario = {
  name: 'simulated histories',
  fault:
    'the same code under a virtual clock: crashes between any two awaits, duplicates, delays, cuts',
  expectation: `all of ${HISTORIES} histories keep every promise`,
  isApart: true,
  run: live,
};

async function live({ isLong, random, count }: Harness): Promise<void> {
  const histories = isLong ? LONG_HISTORIES : HISTORIES;
  const seed = random.between(1, 1_000_000);
  const { report } = await simulate(
    `--histories ${histories} --seed ${seed}`,
    isLong ? 10 * LIMIT_MS : LIMIT_MS,
  );
  const { steps, crashes, failed, histories: done } = report;
  count('histories', done);
  count('steps', steps);
  count('crashes', crashes);
  count('seed', seed);
  holds(!failed, `a history broke a promise: ${failed?.violations[0]}; ${failed?.replay}`);
  holds(done === histories, 'histories are missing');
}
