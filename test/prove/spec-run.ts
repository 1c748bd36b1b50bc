import { createRequire } from 'node:module';
import { runOwnProcess } from './own-process.js';
import { type Harness, holds } from './scenario.js';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');

/** What `jest --json` writes, as far as it is read here. */
interface Results {
  numPassedTests: number;
  numFailedTests: number;
  success: boolean;
}

/**
 * Runs `*.proof.spec.ts` with servers of their own, and reports each test as it ends.
 * @param folder those of this folder, which need more than the others and have a row of their own; all others when
 * none is given.
 * @throws Broken unless every one passes.
 */
export async function runSpecs(
  { count, say }: Harness,
  { limitMs, folder }: { limitMs: number; folder?: string },
): Promise<void> {
  // Every word after the last option would be one more pattern of it.
  const choice = folder === undefined ? [] : [folder, '--testPathIgnorePatterns=/node_modules/'];
  const { code, report, end } = await runOwnProcess<Results>(
    (file) => [JEST, '--config', 'jest.proof.config.js', '--json', '--outputFile', file, ...choice],
    { limitMs, onLine: (line) => /^\s+[✓✕]/.test(line) && say(line.trim()) },
  );
  holds(report !== undefined, end);
  const { numPassedTests, numFailedTests, success } = report;
  count('tests', numPassedTests);
  holds(numPassedTests > 0, 'nothing was run');
  holds(code === 0 && success, `${numFailedTests} failed: ${end}`);
}
