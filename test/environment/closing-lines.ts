import type { AggregatedResult, Reporter } from '@jest/reporters';

/** Ends the run with one plain line of counts, and says what could not be run on this machine. */
export default class ClosingLines implements Pick<Reporter, 'onRunComplete'> {
  onRunComplete(_contexts: unknown, results: AggregatedResult): void {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = results;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    process.stdout.write(`${numPassedTests} passed, ${failed} failed${skipped}\n`);
  }
}
