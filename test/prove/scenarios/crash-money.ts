import { MONEY_CRASHES } from '../../billing/crashes/money-crashes.js';
import { runOwnProcess } from '../own-process.js';
import { holds } from '../environment/broken.js';
import { type ApartScenario, type Harness } from '../scenario.js';

const LIMIT_MS = 25 * 60_000;
const MAIN = new URL('../../billing/histories/main.js', import.meta.url).pathname;
const points = [...new Set(MONEY_CRASHES.map(({ point }) => point))];

/** The output of the run. */
interface Figures {
  kills: number;
  faults: string[];
}

export const crashMoneyRow: ApartScenario = {
  name: `crash ${points.join(', ')}`,
  fault:
    'kill -9 of billing between its rows, the processor and its callbacks: during a purchase, a ' +
    'subscription, its renewal, its changes, a cancellation and its undoing, a refund, a dispute, a deletion and a ' +
    'restoration; with and without a client that repeats unanswered requests',
  expectation:
    'healed by its jobs: each payment is announced once, each call to the processor is repeated under its first ' +
    'key only, and credits match the payments',
  isApart: true,
  run: killEverywhere,
};

/** Runs in a process with its own database: every crash with `--long`, otherwise one at each point. */
async function killEverywhere({ isLong, random, count }: Harness): Promise<void> {
  const choice = isLong ? [] : ['--sample', '--seed', random.between(1, 1_000_000)];
  const { report, end } = await runOwnProcess<Figures>(
    (file) => [MAIN, '--crashes', '--json', file, ...choice],
    { limitMs: LIMIT_MS },
  );
  holds(report !== undefined, end);
  const { kills, faults } = report;
  count('kills', kills);
  holds(faults.length === 0, faults.join('\n'));
}
