import { spawnSync } from 'node:child_process';
import type { AggregatedResult, Reporter } from '@jest/reporters';

/** Programs that suites against other software need, and what those suites prove. */
const PROGRAMS: readonly [names: string[], proves: string][] = [
  [['java'], 'events over Kafka'],
  [['valkey-server', 'redis-server'], 'counters shared through Valkey or Redis'],
  [['chromium', 'chromium-browser'], 'the dashboard in a browser'],
];

/** Ends the run with one plain line of counts, and says what could not be run on this machine. */
export default class ClosingLines implements Pick<Reporter, 'onRunComplete'> {
  onRunComplete(_contexts: unknown, results: AggregatedResult): void {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = results;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    for (const [names, proves] of PROGRAMS.filter(([names]) => !names.some(isInstalled))) {
      process.stdout.write(`not run here: ${proves} (no ${names[0]} on this machine)\n`);
    }
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    process.stdout.write(`${numPassedTests} passed, ${failed} failed${skipped}\n`);
  }
}

const isInstalled = (name: string) => spawnSync('which', [name]).status === 0;
