import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { jestExpect } from '@jest/expect';
import * as circus from 'jest-circus';
import { type Globals, useGlobals } from '../environment/jest-globals.js';

/** The task for a process that runs specs, given as its first argument. */
export interface SpecOrder {
  /** The compiled spec files, which run one after another. */
  specs: string[];
  /** A compiled file that is replaced only in this process, and not on disk. */
  changed?: { path: string; text: string };
}

/** A time limit for a test, which ends only tests that hang, even on the slowest machine. */
const TEST_LIMIT_MS = 180_000;

/**
 * Runs specs with Jest's own test runner but without Jest. Imports are loaded once for all specs, which takes a quarter
 * of the time. Stops at the first failure, and writes the name of the failed test to standard error.
 */
const { specs, changed } = JSON.parse(process.argv[2]) as SpecOrder;
const globalsUrl = new URL('../environment/jest-globals.js', import.meta.url).href;
const changedUrl = changed && pathToFileURL(changed.path).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: globalsUrl, shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) =>
    url === changedUrl
      ? { format: 'module', source: changed?.text, shortCircuit: true }
      : next(url, context),
});
useGlobals({ ...circus, expect: jestExpect } as unknown as Globals);
circus.addEventHandler((event) => {
  if (event.name === 'test_fn_failure') fail(`${event.test.parent.name} › ${event.test.name}`);
  else if (event.name === 'hook_failure')
    fail(`${event.hook.type} of ${event.describeBlock?.name}`);
  else if (event.name === 'error') fail(String((event.error as Error).stack ?? event.error));
});
for (const spec of specs) {
  circus.resetState();
  circus.getState().testTimeout = TEST_LIMIT_MS;
  try {
    await import(pathToFileURL(spec).href);
  } catch (error) {
    fail(`${spec}: ${(error as Error).stack}`);
  }
  const { unhandledErrors } = await circus.run();
  if (unhandledErrors.length > 0) fail(unhandledErrors[0]);
}
process.exit(0);

function fail(by: string): never {
  process.stderr.write(`failed: ${by}\n`);
  process.exit(1);
}
