import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { default: Sequencer } =
  require('@jest/test-sequencer') as typeof import('@jest/test-sequencer');
type Tests = Parameters<InstanceType<typeof Sequencer>['sort']>[0];

/** Runs spec files in the order of the command line. */
export default class GivenOrder extends Sequencer {
  override sort(tests: Tests): Tests {
    return [...tests].toSorted(
      (a, b) => process.argv.indexOf(a.path) - process.argv.indexOf(b.path),
    );
  }
}
