import { createRequire, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { spyOn } from 'jest-mock';

/** What Jest's own runner of a file asks of the runtime that it is given; the rest of it is left out. */
interface Runtime {
  requireInternalModule(path: string): unknown;
  requireModule(path: string): unknown;
  setGlobalsForRuntime(globals: Globals): void;
  unstable_shouldLoadAsEsm(path: string): boolean;
  unstable_importModule(path: string): Promise<unknown>;
  enterTestCode(): void;
  leaveTestCode(): void;
}
type Call = (...words: unknown[]) => unknown;
type Globals = Record<string, Call>;
/** What Jest gives to a runner of files: its two configs, the environment, the runtime, the file's path, a channel. */
type Given = [object, object, object, Runtime, path: string, channel?: unknown];
type Runner = (...given: Given) => Promise<unknown>;

const require = createRequire(import.meta.url);
const { default: runFile } = require('jest-circus/runner') as { default: Runner };

const NAMES = [
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'expect',
  'it',
  'test',
];
/** Where Jest looks for what a file sets for all of its tests. */
const TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const GLOBALS = 'domain-data-service:jest-globals';

/** Those of the file that runs. */
let current: Globals = {};

const own = Object.assign(Object.fromEntries(NAMES.map((name) => [name, forwarded(name)])), {
  jest: {
    setTimeout: (ms: number) => Reflect.set(globalThis, TIMEOUT, ms),
    spyOn,
  },
});
Reflect.set(globalThis, GLOBALS, own);
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url === GLOBALS
      ? {
          format: 'module',
          shortCircuit: true,
          source: `export const { ${Object.keys(own).join(', ')} } = globalThis['${GLOBALS}'];`,
        }
      : next(url, context),
});

/**
 * Runs a spec in the process itself. Jest gives each file a context of its own, in which every module is read,
 * compiled and made fast anew: more than half of what the suite took.
 */
export default async function run(...given: Given): Promise<unknown> {
  const [globalConfig, config, environment, runtime, path, channel] = given;
  Reflect.deleteProperty(globalThis, TIMEOUT);
  const bare: Runtime = {
    requireInternalModule: (internal) => {
      // Its state is of one file.
      delete require.cache[internal];
      return require(internal) as unknown;
    },
    requireModule: (module) => require(module) as unknown,
    setGlobalsForRuntime: (globals) => void (current = globals),
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: async (module) => import(pathToFileURL(module).href),
    enterTestCode: () => runtime.enterTestCode(),
    leaveTestCode: () => runtime.leaveTestCode(),
  };
  return runFile(globalConfig, config, environment, bare, path, channel);
}

/** `it` of the file that runs, with all that it has, such as `it.each`. */
function forwarded(name: string): Call {
  return new Proxy(() => undefined, {
    apply: (_target, self, words) => Reflect.apply(current[name], self, words) as unknown,
    get: (_target, key) => Reflect.get(current[name], key) as unknown,
  });
}
