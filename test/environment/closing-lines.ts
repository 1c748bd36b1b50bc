import type { AggregatedResult, Reporter } from '@jest/reporters';
<<<<<<< HEAD
import { valkeyAvailability } from '#libs/testing';
import { chromiumPath } from './chromium.js';

/** Programs without which a suite is skipped, and what that suite proves. */
const PROGRAMS: readonly [name: string, isHere: () => boolean, proves: string][] = [
  [
    'Chromium',
    () => chromiumPath() !== undefined,
    'the dashboard in a browser (test/stories/browser.spec.ts)',
  ],
  [
    'Valkey or Redis',
    () => valkeyAvailability() === undefined,
    'counters of several gateways (libs/counters, apps/gateway/src/rate-limits)',
=======
import { KAFKA_BROKERS, kafkaAvailability } from '#libs/testing';
import { chromiumPath } from './chromium.js';

/** Programs without which a suite is skipped, and what that suite proves. */
const PROGRAMS: readonly [missing: () => string | undefined, proves: string][] = [
  [
    () => (chromiumPath() ? undefined : 'no Chromium on this machine'),
    'the dashboard in a browser (test/stories/browser.spec.ts)',
  ],
  [
    () => (process.env[KAFKA_BROKERS] ? undefined : kafkaAvailability()),
    'events over Kafka (libs/messaging/src/transports/kafka)',
>>>>>>> kafka
  ],
];

/** Ends the run with one plain line of counts, and says what could not be run on this machine. */
export default class ClosingLines implements Pick<Reporter, 'onRunComplete'> {
  onRunComplete(_contexts: unknown, results: AggregatedResult): void {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = results;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
<<<<<<< HEAD
    for (const [name, , proves] of PROGRAMS.filter(([, isHere]) => !isHere())) {
      process.stdout.write(`not run here: ${proves}: no ${name} on this machine\n`);
=======
    for (const [missing, proves] of PROGRAMS) {
      const reason = missing();
      if (reason) process.stdout.write(`not run here: ${proves}: ${reason}\n`);
>>>>>>> kafka
    }
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    process.stdout.write(`${numPassedTests} passed, ${failed} failed${skipped}\n`);
  }
}
