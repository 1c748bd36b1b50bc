import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { default: Sequencer } =
  require('@jest/test-sequencer') as typeof import('@jest/test-sequencer');
type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Specs that take long or start processes, browsers or brokers, even if their files are short. */
const LONG = /\/dist\/test\/|\.(slow|system)\.spec\.js$/;

/** The slowest specs, for a new clone without recorded durations. */
const LONGEST = [
  'test/deploy/image',
  'test/stories/cluster',
  'test/stories/browser',
  'test/stories/in-one-process',
  'test/stories/tools-in-browser',
  'test/operations/schemathesis/openapi.system',
  'apps/solo/src/solo.system',
  'apps/cluster/src/main.system',
  'test/billing/histories/money-histories',
  'test/stories/plans-in-browser',
  'test/stories/ways-in-browser',
  'transports/kafka/kafka-transport.system',
  'gateway/src/connection/hostile-connection.slow',
  'transports/in-process/in-process-transport.slow',
  'test/sim/sim',
];

/** Sorts by the last run's durations or, in a fresh clone, by the lists above. By size, stories would be last. */
export default class LongestFirst extends Sequencer {
  override sort(tests: Tests): Tests {
    const sorted = [...(super.sort(tests) as Tests)];
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const rank = ({ path }: Tests[number]) => {
      const place = LONGEST.findIndex((one) => path.endsWith(`${one}.spec.js`));
      if (place !== -1) return place;
      return LONG.test(path) ? LONGEST.length : LONGEST.length + 1;
    };
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
