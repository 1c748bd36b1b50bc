import { createRequire } from 'node:module';
import type { Circus } from '@jest/types';

const { TestEnvironment } = createRequire(import.meta.url)(
  'jest-environment-node',
) as typeof import('jest-environment-node');

const SHOWN_MAX = 200;

/**
 * A Jest environment that prints the first failed test and ends the process at once. Jest's own `--bail` first finishes
 * the file, in which many tests may hang.
 */
export default class FirstFailure extends TestEnvironment {
  handleTestEvent(event: Circus.Event): void {
    if (event.name !== 'test_done' || event.test.errors.length === 0) return;
    const [reason] = event.test.errors.flat().map(String);
    const line = `${event.test.name}: ${reason.replaceAll(/\s+/g, ' ').slice(0, SHOWN_MAX)}`;
    process.stderr.write(`  ● ${line}\n`);
    process.exit(1);
  }
}
