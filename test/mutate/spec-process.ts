import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type Event, addEventHandler, getState, resetState, run } from 'jest-circus';
import { compiledPath } from './compiled.js';

/** The task for a process that runs specs, given as its first argument. */
export interface SpecOrder {
  /** Paths within `dist`, run one after another. */
  specs: string[];
  /** A compiled file that is replaced in this process only, not on disk. */
  changed?: { path: string; text: string };
}

const GLOBALS = new URL('spec-globals.js', import.meta.url).href;
/** The limit of the suite, which only ends hanging tests, even on the slowest machine. */
const TEST_LIMIT_MS = 180_000;

/**
 * Runs specs with Jest's own test runner but without its sandbox: imports are loaded once for all, which is a quarter
 * of the work. Stops at the first failure and writes its name to standard error.
 */
const order = JSON.parse(process.argv[2]) as SpecOrder;
takePlaces(order);
addEventHandler((event) => {
  if (event.name === 'test_fn_failure') fail(nameOf(event.test));
  else if (event.name === 'hook_failure')
    fail(`${event.hook.type} of ${event.describeBlock?.name}`);
  else if (event.name === 'error') fail(String((event.error as Error).stack ?? event.error));
});
for (const spec of order.specs) {
  resetState();
  getState().testTimeout = TEST_LIMIT_MS;
  try {
    await import(pathToFileURL(compiledPath(spec)).href);
  } catch (error) {
    fail(`${spec}: ${(error as Error).stack}`);
  }
  const { unhandledErrors } = await run();
  if (unhandledErrors.length > 0) fail(unhandledErrors[0]);
}
process.exit(0);

function takePlaces({ changed }: SpecOrder): void {
  const url = changed && pathToFileURL(compiledPath(changed.path)).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === '@jest/globals'
        ? { url: GLOBALS, shortCircuit: true }
        : next(specifier, context),
    load: (loaded, context, next) =>
      loaded === url
        ? { format: 'module', source: changed?.text, shortCircuit: true }
        : next(loaded, context),
  });
}

function nameOf({ name, parent }: Extract<Event, { name: 'test_fn_failure' }>['test']): string {
  return parent.name === 'ROOT_DESCRIBE_BLOCK' ? name : `${parent.name} › ${name}`;
}

function fail(by: string): never {
  process.stderr.write(`failed: ${by}\n`);
  process.exit(1);
}
