import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

export interface SpecOrder {
  /** The compiled spec files, which run one after another until one fails. */
  specs: string[];
  /** A compiled file that is replaced only in this run, and not on disk. */
  changed?: { path: string; text: string };
}

/**
 * The result of a run of specs. `by` names the first failed test or says that the specs did not end; undefined if all
 * passed.
 */
export interface SpecOutcome {
  by?: string;
  ms: number;
}

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');
const CHANGED_FILE = new URL('changed-file.js', import.meta.url).href;
const FIRST_FAILURE = new URL('first-failure.js', import.meta.url).pathname;
const ORDER = new URL('given-order.js', import.meta.url).pathname;
const { default: jestConfig } = (await import(`${process.cwd()}/jest.config.js`)) as {
  default: { projects: object[] };
};
const CONFIG = {
  ...jestConfig.projects[0],
  // The servers are those of this process's environment.
  globalSetup: undefined,
  globalTeardown: undefined,
  testEnvironment: FIRST_FAILURE,
  testPathIgnorePatterns: [],
  testMatch: ['**/*.spec.js'],
};
/** Options for Jest. A test may take three minutes, which suffices even on the slowest machine. */
const OPTIONS = `--runInBand --bail --testTimeout=180000 --testSequencer=${ORDER}`.split(' ');
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach(end));

/**
 * Runs specs in a separate process, with the servers of this process's environment. Specs that do not end within the
 * limit count as failed.
 */
export async function runSpecs(
  { specs, changed }: SpecOrder,
  limitMs: number,
): Promise<SpecOutcome> {
  const startedAt = performance.now();
  const hook = changed ? ['--import', CHANGED_FILE] : [];
  const words = ['--config', JSON.stringify(CONFIG), ...OPTIONS, '--runTestsByPath', ...specs];
  const child = spawn(process.execPath, [...hook, JEST, ...words], {
    env: { ...process.env, ...(changed && { CHANGED_FILE: JSON.stringify(changed) }) },
    stdio: ['ignore', 'ignore', 'pipe'],
    // The process has its own process group, so that a gateway started by a spec ends with it.
    detached: true,
  });
  running.add(child);
  const said = text(child.stderr);
  const limit = setTimeout(() => end(child), limitMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(limit);
  end(child);
  running.delete(child);
  const ms = performance.now() - startedAt;
  if (code === 0) return { ms };
  if (code === null) return { by: 'specs that did not end', ms };
  return { by: /^ +● (.*)$/m.exec(await said)?.[1] ?? (await said).slice(-300), ms };
}

function end({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
