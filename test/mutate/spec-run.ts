import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { SpecOrder } from './spec-process.js';

/** The result of a run of specs. `by` names the first failed test, if there is one. */
export interface SpecOutcome {
  by?: string;
  ms: number;
}

const MAIN = new URL('spec-process.js', import.meta.url).pathname;
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach(end));

/**
 * Runs specs in a separate process, with the servers of this process's environment. Specs that do not end within the
 * limit count as failed.
 */
export async function runSpecs(order: SpecOrder, limitMs: number): Promise<SpecOutcome> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [MAIN, JSON.stringify(order)], {
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
  return { by: /^failed: (.*)$/m.exec(await said)?.[1] ?? (await said).slice(-300), ms };
}

function end({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
