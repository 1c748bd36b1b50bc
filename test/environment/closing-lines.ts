import type { AggregatedResult, Reporter } from '@jest/reporters';
import {
  KAFKA_BROKERS,
  kafkaAvailability,
  nameServerAvailability,
  pgBouncerAvailability,
  s3ServerAvailability,
  valkeyAvailability,
} from './index.js';
import { STRIPE_PYTHON } from '../billing/stripe-sdks/python-sdk.js';
import { imageAvailability } from '../deploy/image.js';
import {
  apiServerAvailability,
  chartToolsAvailability,
  promtoolAvailability,
} from '../deploy/tools/programs.js';
import { schemathesisAvailability } from '../operations/schemathesis/schemathesis.js';
import { internetAvailability } from '../stories/internet-availability.js';
import { historyMissing } from '../tidy/history.js';
import { chromiumPath } from './chromium.js';

/** The suites that need a program, each with the reason why it cannot run on this machine, or undefined if it can. */
const PROGRAMS: Readonly<Record<string, () => string | undefined>> = {
  'the dashboard in a browser (test/stories)': () => (chromiumPath() ? undefined : 'no Chromium'),
  'counters of several gateways (libs/counters, apps/gateway)': valkeyAvailability,
  'a process for each service (test/stories)': () => kafkaAvailability() ?? valkeyAvailability(),
  'the services behind PgBouncer (test/stories)': pgBouncerAvailability,
  'the DNS client compared with dig (libs/resolvers)': nameServerAvailability,
  'a private internet (test/stories)': internetAvailability,
  'events over Kafka (libs/messaging)': () =>
    process.env[KAFKA_BROKERS] ? undefined : kafkaAvailability(),
  'the image and its services (test/deploy)': imageAvailability,
  'the resources and refusals of the Helm chart (test/deploy)': chartToolsAvailability,
  'files on S3 (libs/files)': s3ServerAvailability,
  'that each alert fires (test/deploy)': promtoolAvailability,
  'that no answer contradicts /openapi.json (test/operations)': schemathesisAvailability,
  'Stripe’s Python SDK with the simulator (test/billing)': () => STRIPE_PYTHON.availability(),
  'that Kubernetes accepts the chart (test/deploy)': () =>
    chartToolsAvailability() ?? apiServerAvailability(),
  'commits without secrets (test/tidy), released migrations (test/upgrade)': historyMissing,
};

const NOT_RUN = 'not run here: ';

/**
 * Ends the run with a plain line of counts, and names the suites that could not run on this machine, unless the run had
 * only specs that need no programs.
 */
export default class ClosingLines implements Pick<Reporter, 'onRunComplete'> {
  onRunComplete(_contexts: unknown, results: AggregatedResult): void {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = results;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const { testResults } = results;
    const needsPrograms = testResults.some(({ displayName }) => displayName?.name === 'system');
    for (const [skipped, reasonOf] of Object.entries(needsPrograms ? PROGRAMS : {})) {
      const reason = reasonOf();
      if (reason !== undefined) process.stdout.write(`${NOT_RUN}${skipped}: ${reason}\n`);
    }
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    process.stdout.write(`${numPassedTests} passed, ${failed} failed${skipped}\n`);
  }
}
