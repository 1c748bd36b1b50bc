import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
export const { default: Sequencer } =
  require('@jest/test-sequencer') as typeof import('@jest/test-sequencer');
export type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Specs that take long or start processes, browsers or brokers, even if their files are short. */
const LONG = /\/dist\/test\/|\.(slow|system)\.spec\.js$/;

/**
 * The first specs. A cluster has a dozen processes, which use both cores and never rest. Therefore only specs that
 * mostly wait run beside the first cluster; the second cluster and the other slow specs follow.
 */
const FIRST = [
  'test/stories/cluster',
  'usage/log-reads.slow',
  'transports/in-process/in-process-transport.slow',
  'transports/kafka/kafka-transport.system',
  'monitor-checks/silent-servers.slow',
  'valkey/valkey-rate-limiter.system',
  'worker/src/webhooks/webhooks.slow',
  'apps/cluster/src/main.system',
  'test/stories/in-one-process',
  'test/stories/plans-in-browser',
  'test/stories/tools-in-browser',
  'test/stories/browser',
  'test/deploy/image',
  'test/operations/schemathesis/openapi.system',
  'apps/solo/src/solo.system',
  'test/billing/histories/money-histories',
  'test/billing/callback-orders',
];

/** Sorts the files that take longest first, so that all workers finish at about the same time. */
export default class LongestFirst extends Sequencer {
  override sort(tests: Tests): Tests {
    const rank = ({ path }: Tests[number]) => {
      const place = FIRST.findIndex((one) => path.endsWith(`${one}.spec.js`));
      if (place !== -1) return place;
      return LONG.test(path) ? FIRST.length : FIRST.length + 1;
    };
    // Among files of the same rank, the order follows the durations of the last run or, in a new clone, their sizes.
    return [...(super.sort(tests) as Tests)].toSorted((a, b) => rank(a) - rank(b));
  }
}
