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
  const from = random.between(1, 1_000_000);
  const { report } = await simulate(
    `--histories ${histories} --from ${from}`,
    isLong ? 10 * LIMIT_MS : LIMIT_MS,
  );
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
