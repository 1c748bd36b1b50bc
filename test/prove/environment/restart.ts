import { readFileSync } from 'node:fs';
import type { CrashPoint } from '#libs/platform';
import type { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import { holds } from './broken.js';
import { type Harness, type InstallationHarness } from '../scenario.js';
import { eventually } from './patience.js';

/** The time within which a service must answer again after it was killed. */
const RESTART_MAX_MS = 5_000;

/** How one run of a process ends, and the conditions of its next run. */
export interface Crash {
  point: CrashPoint;
  /** The process dies at a random pass up to this one. */
  passes: number;
  /** SQL that expires the leases of dead processes. */
  hurry: string;
  /** Additional environment variables from the next run of the process on. */
  settings?: Record<string, string>;
}

/** Does some work, during which a process dies at a crash point and is started again. */
export async function crashDuring<T>(
  process: ServiceProcess,
  harness: InstallationHarness,
  { point, passes, hurry, settings = {} }: Crash,
  work: () => Promise<T>,
): Promise<T> {
  const { installation, random } = harness;
  await process.stop();
  await process.start({ ...settings, CRASH_AT: `${point}:${random.between(1, passes)}` });
  const dying = async () => {
    await eventually(`the death at ${point}`, async () => !process.isRunning);
    harness.count('kills');
    await installation.sql(hurry);
    await startAgain(process, harness, { settings });
  };
  const [done] = await Promise.all([work(), dying()]);
  return done;
}

/**
 * Acts as a supervisor: starts a process again as soon as it has ended.
 * @param nextPoint the point at which the process kills itself next. If this may happen before it is up, nothing is
 * measured.
 * @returns how long it was down, and how much of that was due to the machine's other work.
 */
export async function startAgain(
  process: ServiceProcess,
  harness: Harness,
  { nextPoint, settings = {} }: { nextPoint?: CrashPoint; settings?: Record<string, string> } = {},
): Promise<number> {
  await process.untilEnded();
  holds(process.endedBy === 'SIGKILL', `${process.name} ended by itself: ${process.endedBy}`);
  const startedAt = performance.now();
  if (nextPoint === undefined) await process.start(settings);
  else await process.start({ CRASH_AT: `${nextPoint}:1` }).catch(() => {});
  if (!process.isRunning) return performance.now() - startedAt;
  const awayMs = performance.now() - startedAt;
  const restartMs = awayMs - waitedForCoreMs(process.pid);
  harness.worst('slowest restart ms', restartMs);
  holds(
    restartMs <= RESTART_MAX_MS,
    `${process.name} took ${Math.round(restartMs)} ms to start again`,
  );
  return awayMs;
}

/**
 * Kills a process and has it started again.
 * @returns the time of the kill in monotonic milliseconds.
 */
export async function killAndRestart(process: ServiceProcess, harness: Harness): Promise<number> {
  const killedAt = performance.now();
  process.kill('SIGKILL');
  harness.count('kills');
  await startAgain(process, harness);
  return killedAt;
}

/**
 * Restarts PostgreSQL, whatever it is still doing.
 * @returns how long it was down, in milliseconds.
 */
export async function startPostgresAgain(
  harness: InstallationHarness,
  awaySince: number,
): Promise<number> {
  const { postgres } = harness.installation.cluster;
  await eventually('PostgreSQL to start', async () => {
    await postgres.start();
    return true;
  });
  const outageMs = performance.now() - awaySince;
  harness.worst('away ms', outageMs);
  return outageMs;
}

/**
 * How long a process was ready to run while others used the cores (proc(5), schedstat). This time is not the process's
 * fault.
 */
function waitedForCoreMs(pid: number): number {
  const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waitedNs) / 1e6;
}
