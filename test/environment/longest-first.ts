import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { default: Sequencer } =
  require('@jest/test-sequencer') as typeof import('@jest/test-sequencer');
type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** These start processes, browsers or brokers, however short their files are. */
const LONG = /\/dist\/test\/|\.system\.spec\.js$/;

/**
 * Files that take long begin first, so that the workers end together. Jest goes by the durations of the last run; where
 * there was none, as in a fresh clone, by the size of a file, which puts the stories last.
 */
export default class LongestFirst extends Sequencer {
  override sort(tests: Tests): Tests {
    const sorted = [...(super.sort(tests) as Tests)];
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const isLong = ({ path }: Tests[number]) => LONG.test(path);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
}
