import { createRequire, registerHooks } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Globals, forgetPreviousFile, useGlobals } from './jest-globals.js';

/** The part of a Jest runtime that Jest's own test runner uses. */
interface Runtime {
  requireInternalModule(path: string): unknown;
  requireModule(path: string): unknown;
  setGlobalsForRuntime(globals: Globals): void;
  unstable_shouldLoadAsEsm(path: string): boolean;
  unstable_importModule(path: string): Promise<unknown>;
  enterTestCode(): void;
  leaveTestCode(): void;
}

/** The arguments that Jest passes to a test runner: two configs, the environment, the runtime and the file's path. */
type Given = [object, object, object, Runtime, path: string];
type Runner = (...given: Given) => Promise<unknown>;

/** The frames of a stack that are kept. Jest keeps a hundred, and each `expect` collects them. */
const STACK_FRAMES = 25;

/** The time within which a spec's resources must have closed. */
const CLOSING_MS = 5_000;

// The first use opens a standard stream, which would count as left open by that spec.
void [process.stdin, process.stdout, process.stderr];

const require = createRequire(import.meta.url);
const { default: runFile } = require('jest-circus/runner') as { default: Runner };
const globalsUrl = new URL('jest-globals.js', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: globalsUrl, shortCircuit: true }
      : next(specifier, context),
});

/**
 * Runs a spec in this process's own context. Jest gives each file its own context, in which every module is read,
 * compiled and optimised again. This took more than half of the suite's time.
 */
export default async function run(...given: Given): Promise<unknown> {
  const [globalConfig, config, environment, runtime, path] = given;
  forgetPreviousFile();
  Error.stackTraceLimit = STACK_FRAMES;
  const bare: Runtime = {
    requireInternalModule: (internal) => {
      // The state of this module belongs to one spec file.
      delete require.cache[internal];
      return require(internal) as unknown;
    },
    requireModule: (module) => require(module) as unknown,
    setGlobalsForRuntime: useGlobals,
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: async (module) => import(pathToFileURL(module).href),
    enterTestCode: () => runtime.enterTestCode(),
    leaveTestCode: () => runtime.leaveTestCode(),
  };
  const before = openResources();
  // Jest gets no channel on which it would be told of each test: only the live count in a terminal uses it.
  const result = await runFile(globalConfig, config, environment, bare, path);
  await waitForRest(path, before);
  return result;
}

/** Counts the resources that keep this process from ending, such as sockets, timers and child processes, by kind. */
function openResources(): Map<string, number> {
  const open = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) open.set(kind, (open.get(kind) ?? 0) + 1);
  return open;
}

/**
 * Waits for a spec's resources to close, and names those that stay open. They would keep the worker from ending later,
 * when it is no longer known which spec opened them.
 */
async function waitForRest(path: string, before: ReadonlyMap<string, number>): Promise<void> {
  const left = () =>
    [...openResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
  const untilMs = performance.now() + CLOSING_MS;
  while (left().length > 0 && performance.now() < untilMs) await sleep(10);
  const kinds = left().map(([kind, count]) => `${count - (before.get(kind) ?? 0)} ${kind}`);
  if (kinds.length > 0) process.stderr.write(`${path} leaves open: ${kinds.join(', ')}\n`);
}
