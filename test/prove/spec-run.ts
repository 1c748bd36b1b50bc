import { createRequire } from 'node:module';
import { runOwnProcess } from './own-process.js';
import { holds } from './environment/broken.js';
import { type Harness } from './scenario.js';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');

/** The part of `jest --json` that is read here. */
interface Results {
  numPassedTests: number;
  numFailedTests: number;
  success: boolean;
  testResults: { message: string }[];
}

const MESSAGE_CHARACTERS = 1_500;

/**
 * Runs specs of Jest, by default `*.proof.spec.ts`, with their own servers and reports each test as it ends.
 * @param folder of the specs to run, which have their own row; without it, all others run.
 * @param project of Jest to which they belong.
 * @throws Broken unless all pass.
 */
export async function runSpecs(
  { count, say }: Harness,
  { limitMs, folder, project = 'proof' }: { limitMs: number; folder?: string; project?: string },
): Promise<void> {
  // Jest would take every word after its last option as another pattern.
  const chosen = ['--selectProjects', project, '--config', 'jest.config.js'];
  const choice = folder === undefined ? [] : [folder, '--testPathIgnorePatterns=/node_modules/'];
  const { code, report, end } = await runOwnProcess<Results>(
    (file) => [JEST, ...chosen, '--json', '--outputFile', file, ...choice],
    { limitMs, onLine: (line) => /^\s+[✓✕]/.test(line) && say(line.trim()) },
  );
  holds(report !== undefined, end);
  const { numPassedTests, numFailedTests, success, testResults } = report;
  count('tests', numPassedTests);
  const messages = testResults.map(({ message }) => message).join('\n');
  const isWhole = code === 0 && success;
  holds(isWhole, `${numFailedTests} failed: ${messages.slice(0, MESSAGE_CHARACTERS)}\n${end}`);
  holds(numPassedTests > 0, 'nothing was run');
}
