import { createRequire, registerHooks } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Globals, forgetPreviousFile, useGlobals } from './jest-globals.js';

/** The part of a runtime that Jest's own runner of a file uses. */
interface Runtime {
  requireInternalModule(path: string): unknown;
  requireModule(path: string): unknown;
  setGlobalsForRuntime(globals: Globals): void;
  unstable_shouldLoadAsEsm(path: string): boolean;
  unstable_importModule(path: string): Promise<unknown>;
  enterTestCode(): void;
  leaveTestCode(): void;
}

/** The arguments of Jest's runner of files: its two configs, the environment, the runtime, the file's path, a channel. */
type Given = [object, object, object, Runtime, path: string, channel?: unknown];
type Runner = (...given: Given) => Promise<unknown>;

/** Connections that are being closed need a moment. */
const CLOSING_MS = 5_000;

// They open with the first line that is written, and would be taken for what that spec left.
void [process.stdout, process.stderr];

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
 * Runs a spec in the process itself. Jest gives each file a context of its own, in which every module is read,
 * compiled and made fast anew: more than half of what the suite took.
 */
export default async function run(...given: Given): Promise<unknown> {
  const [globalConfig, config, environment, runtime, path, channel] = given;
  forgetPreviousFile();
  const bare: Runtime = {
    requireInternalModule: (internal) => {
      // Its state belongs to one file.
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
  const result = await runFile(globalConfig, config, environment, bare, path, channel);
  await waitForRest(path, before);
  return result;
}

/** How many of each kind keep this process from ending, such as sockets, timers and child processes. */
function openResources(): Map<string, number> {
  const open = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) open.set(kind, (open.get(kind) ?? 0) + 1);
  return open;
}

/** What a spec leaves open holds its worker up at the end, where nobody can tell which spec it was: it is named here. */
async function waitForRest(path: string, before: ReadonlyMap<string, number>): Promise<void> {
  const left = () =>
    [...openResources()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
  const untilMs = performance.now() + CLOSING_MS;
  while (left().length > 0 && performance.now() < untilMs) await sleep(10);
  const kinds = left().map(([kind, count]) => `${count - (before.get(kind) ?? 0)} ${kind}`);
  if (kinds.length > 0) process.stderr.write(`${path} leaves open: ${kinds.join(', ')}\n`);
}
