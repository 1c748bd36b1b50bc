import { Sequencer, type Tests } from '../environment/longest-first.js';

/** Runs spec files in the order of the command line. */
export default class GivenOrder extends Sequencer {
  override sort(tests: Tests): Tests {
    return [...tests].toSorted(
      (a, b) => process.argv.indexOf(a.path) - process.argv.indexOf(b.path),
    );
  }
}
