import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOf } from '../../apps/solo/src/checks/before-build.js';

/**
 * A process that this run has started. Its id does not identify it, because the id may belong to another process by
 * now.
 */
export interface OwnProcess {
  pid: number;
  /** The start time (field 22 of proc(5)'s stat), which distinguishes processes with the same id. */
  startedAt: string;
}

/**
 * Remembers a process right after its start.
 * @throws if it is already gone.
 */
export function ownProcess(pid: number): OwnProcess {
  const startedAt = startOf(pid);
  if (startedAt === undefined) throw new Error(`process ${pid} is gone`);
  return { pid, startedAt };
}

/** Whether the process still runs; false even if another process has its id. */
export function isThere({ pid, startedAt }: OwnProcess): boolean {
  return startOf(pid) === startedAt;
}

/** @returns false if it was gone; another process with its id is never touched. */
export function signal(target: OwnProcess, name: NodeJS.Signals): boolean {
  return isThere(target) && process.kill(target.pid, name);
}

/** Suspends a process during some work and always resumes it. */
export async function pause(stopped: OwnProcess, pauseMs: number): Promise<void> {
  signal(stopped, 'SIGSTOP');
  try {
    await sleep(pauseMs);
  } finally {
    signal(stopped, 'SIGCONT');
  }
}

/** The child processes of a process, for example a database server's sessions. */
export function childrenOf(pid: number): OwnProcess[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(path)) return [];
  const pids = readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  return pids.flatMap((child) => {
    const startedAt = startOf(child);
    return startedAt === undefined ? [] : [{ pid: child, startedAt }];
  });
}

/** The name that a process gives itself, for example `postgres: entitlement domain_data … idle`. */
export function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
