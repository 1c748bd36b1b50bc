import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { compiledPath } from './compiled.js';
import type { SpecOrder } from './spec-process.js';

/** The result of some specs: the first test that failed, if any did. */
export type SpecOutcome =
  | { ended: 'passed'; ms: number }
  | { ended: 'failed'; by: string; ms: number }
  | { ended: 'too late'; ms: number };

const SAID_MAX = 100_000;
const running = new Set<ChildProcess>();

/** Runs specs in a separate process, with the servers of this process's environment. */
export async function runSpecs(order: SpecOrder, limitMs: number): Promise<SpecOutcome> {
  const startedAt = performance.now();
  const main = compiledPath('test/mutate/spec-process.js');
  const child = spawn(process.execPath, [main, JSON.stringify(order)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A separate process group, so that a gateway started by a spec ends with it.
    detached: true,
  });
  running.add(child);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-SAID_MAX);
  });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    end(child);
  }, limitMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(limit);
  end(child);
  running.delete(child);
  const ms = performance.now() - startedAt;
  if (isLate) return { ended: 'too late', ms };
  if (code === 0) return { ended: 'passed', ms };
  return { ended: 'failed', by: /^failed: (.*)$/m.exec(said)?.[1] ?? said.slice(-300), ms };
}

/** Ends every run if a signal arrives in the meantime. */
export function endRuns(): void {
  for (const child of running) end(child);
}

function end({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
