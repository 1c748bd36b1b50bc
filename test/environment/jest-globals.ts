import { spyOn } from 'jest-mock';

type Call = (...words: unknown[]) => unknown;

/** The functions that Jest creates again for each file. */
export interface Globals {
  afterAll: Call;
  afterEach: Call;
  beforeAll: Call;
  beforeEach: Call;
  describe: Call;
  expect: Call;
  it: Call;
}

/** The symbol under which Jest stores the time limit of a file's tests. */
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
/** The symbol under which Jest stores event handlers. Each file adds its own, and none is removed. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

// Suites that several specs share import these from `@jest/globals`, and always get the functions of the current file.
export let afterAll: Call;
export let afterEach: Call;
export let beforeAll: Call;
export let beforeEach: Call;
export let describe: Call;
export let expect: Call;
export let it: Call;
export const jest = {
  setTimeout: (ms: number) => Reflect.set(globalThis, TIMEOUT, ms),
  spyOn,
};

export function useGlobals(globals: Globals): void {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } = globals);
}

/**
 * Removes what previous files have left in Jest's globals: the time limit; handlers, with which each result would be
 * reported once per file; and the tests, whose closures would keep every started service in memory.
 */
export function forgetPreviousFile(): void {
  Reflect.deleteProperty(globalThis, TIMEOUT);
  Reflect.deleteProperty(globalThis, EVENT_HANDLERS);
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (symbol.description === 'JEST_STATE_SYMBOL') Reflect.deleteProperty(globalThis, symbol);
  }
}
