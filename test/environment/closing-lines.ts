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
import { promtoolAvailability } from '../deploy/promtool.js';
import { apiServerAvailability, chartToolsAvailability } from '../deploy/tools/programs.js';
import { schemathesisAvailability } from '../operations/schemathesis/schemathesis.js';
import { internetAvailability } from '../stories/internet-availability.js';
import { historyMissing } from '../tidy/history.js';
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
  ],
  [
    'Kafka and Valkey',
    () => (kafkaAvailability() ?? valkeyAvailability()) === undefined,
    'the stories on a process for each service (test/stories/cluster.spec.ts)',
  ],
  [
    'PgBouncer',
    () => pgBouncerAvailability() === undefined,
    'that the services work behind PgBouncer (test/stories/behind-pgbouncer.spec.ts)',
  ],
  [
    'NSD, Unbound, ldnsutils and dig',
    () => nameServerAvailability() === undefined,
    'the DNS client beside dig at real name servers (libs/resolvers/src/dns/name-servers.system.spec.ts)',
  ],
  [
    'NSD, Unbound, ldnsutils, dig and whois under root',
    () => internetAvailability() === undefined,
    'the product on an internet of its own (test/stories/fake-internet.spec.ts)',
  ],
  [
    'Java with Maven',
    () => process.env[KAFKA_BROKERS] !== undefined || kafkaAvailability() === undefined,
    'events over Kafka (libs/messaging/src/transports/kafka)',
  ],
  [
    'buildah and mmdebstrap under root',
    () => imageAvailability() === undefined,
    'that the image builds and its services run (test/deploy/image.spec.ts)',
  ],
  [
    'Go, which builds Helm,',
    () => chartToolsAvailability() === undefined,
    'what the Helm chart renders and refuses (test/deploy/chart.spec.ts)',
  ],
  [
    'Go, which builds the S3 server versitygw,',
    () => s3ServerAvailability() === undefined,
    'that files can be kept on S3 (libs/files/src/s3/s3-store.system.spec.ts)',
  ],
  [
    'promtool of Prometheus',
    () => promtoolAvailability() === undefined,
    'that each alert fires (test/deploy/alerts.spec.ts)',
  ],
  [
    'Python with pip',
    () => schemathesisAvailability() === undefined,
    'that no answer contradicts /openapi.json (test/operations/schemathesis)',
  ],
  [
    'Python with pip',
    () => STRIPE_PYTHON.availability() === undefined,
    'that Stripe’s Python SDK takes the simulator for Stripe (test/billing/stripe-sdks)',
  ],
  [
    'API server of Kubernetes (node dist/test/deploy/tools/prepare-tools.js builds it)',
    () => (chartToolsAvailability() ?? apiServerAvailability()) === undefined,
    'that Kubernetes takes the Helm chart (test/deploy/kubernetes/api-server.spec.ts)',
  ],
  [
    'git with the whole history',
    () => historyMissing() === undefined,
    'that no commit has added a secret (test/tidy.spec.ts), and that the migrations of the last release are listed as it left them (test/upgrade)',
  ],
];

const NOT_RUN = 'not run here: ';

/** Ends the run with one plain line of counts, and says what could not be run on this machine. */
export default class ClosingLines implements Pick<Reporter, 'onRunComplete'> {
  onRunComplete(_contexts: unknown, results: AggregatedResult): void {
    const { numPassedTests, numFailedTests, numPendingTests, numRuntimeErrorTestSuites } = results;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    for (const [name, , proves] of PROGRAMS.filter(([, isHere]) => !isHere())) {
      process.stdout.write(`${NOT_RUN}${proves}: no ${name} on this machine\n`);
    }
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    process.stdout.write(`${numPassedTests} passed, ${failed} failed${skipped}\n`);
  }
}
