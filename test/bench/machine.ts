import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';

/** The unit of CPU times in /proc (USER_HZ, proc(5)): 10 ms on every Linux that Node supports. */
const TICK_US = 10_000;

/** Returns the user and system time of a process with all its threads, in microseconds. */
export function cpuUs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

/** Returns the resident memory of a process in MiB (proc(5)): now, or at its largest (`VmHWM`). */
export function memoryMb(pid: number, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]) / 1024;
}

/** Binds a process with all its threads to one core. Children that it starts later inherit this. */
export function pin(pid: number, core: number): void {
  spawnSync('taskset', ['-a', '-cp', String(core), String(pid)], { stdio: 'ignore' });
}

export function hasProgram(name: string, ...args: string[]): boolean {
  return spawnSync(name, args, { stdio: 'ignore' }).error === undefined;
}

export function machine(): string {
  const gib = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${cpus()[0].model}), ${gib} GiB, Node ${process.version}`;
}
