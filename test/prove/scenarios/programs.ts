import { createRequire } from 'node:module';
import { kafkaAvailability } from '#test/environment';
import { clusterAvailability } from '../../../apps/cluster/src/cluster.js';
import { MONEY_CRASHES } from '../../billing/crashes/money-crashes.js';
import { LIMIT_MS, simulate } from '../../sim/run-command.js';
import { ReleaseHistory } from '../../upgrade/releases.js';
import { holds } from '../environment/patience.js';
import { runOwnProcess } from '../own-process.js';
import type { Scenario, Harness } from '../scenario.js';

const MINUTE_MS = 60_000;
const HISTORIES = 10_000;
const LONG_HISTORIES = 100_000;
const HISTORIES_OF_MONEY = new URL('../../billing/histories/main.js', import.meta.url).pathname;
const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');

export const programRows: Scenario[] = [
  {
    name: `crash ${[...new Set(MONEY_CRASHES.map(({ point }) => point))].join(', ')}`,
    group: 'apart',
    run: killBilling,
  },
  { name: 'simulated histories', group: 'apart', run: simulateHistories },
  specsOf('upgrade', 'test/upgrade', () => new ReleaseHistory().missing() ?? clusterAvailability()),
  specsOf('pitfalls of the broker client', undefined, kafkaAvailability),
];

/** Runs every crash of billing with `--long`, and otherwise one crash at each point. */
async function killBilling({ isLong, random, count }: Harness): Promise<void> {
  const choice = isLong ? [] : ['--sample', '--seed', String(random.between(1, 1_000_000))];
  const words = [HISTORIES_OF_MONEY, '--crashes', ...choice, '--json'];
  const { report } = await runOwnProcess<{ kills: number; faults: string[] }>(
    words,
    25 * MINUTE_MS,
  );
  count('kills', report.kills);
  holds(report.faults.length === 0, report.faults.join('\n'));
}

async function simulateHistories({ isLong, random, count }: Harness): Promise<void> {
  const histories = isLong ? LONG_HISTORIES : HISTORIES;
  const seed = random.between(1, 1_000_000);
  const words = `--histories ${histories} --seed ${seed}`;
  const { report } = await simulate(words, isLong ? 10 * LIMIT_MS : LIMIT_MS);
  const { steps, crashes, failed } = report;
  for (const [what, value] of Object.entries({ steps, crashes, seed })) count(what, value);
  count('histories', report.histories);
  holds(!failed, `a history broke a promise: ${failed?.violations[0]}; ${failed?.replay}`);
  holds(report.histories === histories, 'histories are missing');
}

/** @param folder the folder of the specs; without it, all `*.proof.spec.ts` that have no scenario. */
function specsOf(
  name: string,
  folder: string | undefined,
  missing: () => string | undefined,
): Scenario {
  const choice = folder === undefined ? [] : [folder, '--testPathIgnorePatterns=/node_modules/'];
  const words = [JEST, ...choice, '--selectProjects', 'proof', '--config', 'jest.config.js'];
  return {
    name,
    isForReleases: true,
    group: 'apart',
    missing,
    run: async ({ count }) => {
      const { code, report } = await runOwnProcess<{
        numPassedTests: number;
        testResults: { message: string }[];
      }>([...words, '--json', '--outputFile'], 60 * MINUTE_MS);
      count('tests', report.numPassedTests);
      const messages = report.testResults.map(({ message }) => message).join('\n');
      holds(code === 0 && report.numPassedTests > 0, `it ended with ${code}: ${messages}`);
    },
  };
}
