import { readFileSync } from 'node:fs';
import type { CrashPoint } from '#libs/platform';
import type { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import type { Harness } from '../scenario.js';
import { eventually, holds } from './patience.js';

const RESTART_MAX_MS = 5_000;
/** The time within which a process reaches its next crash point; background jobs wait for minutes. */
const DEATH_LIMIT_MS = 300_000;

/**
 * The highest pass at which a process kills itself, for crash points that it passes repeatedly. The pass of its first
 * crash point is drawn from 1 to this number; each later point kills it at the first pass.
 */
const PASSES: Partial<Record<CrashPoint, number>> = {
  'outbox.after-commit': 2,
  'consumer.before-commit': 2,
  'command.before-answer': 4,
  'gateway.after-reserve': 2,
  'gateway.after-lookup-answer': 2,
  'gateway.after-settle': 2,
  'lookup.before-answer': 2,
  'chunk.after-claim': 3,
  'chunk.after-answers': 3,
  'chunk.after-write': 3,
  'chunk.after-commit': 3,
  'chunk.after-settle': 3,
  'check.before-commit': 5,
  'check.after-commit': 5,
  'file.after-rows': 8,
  'file.after-write': 4,
  'file.before-commit': 4,
  'file.after-commit': 4,
  'collect.after-answers': 2,
};

interface Circumstances {
  /** SQL that runs after each death, for example to expire the leases of the dead process. */
  hurry?: string;
  settings?: Record<string, string>;
}

/**
 * A process that kills itself at one crash point after another, and its supervisor. Each later point is set when the
 * process restarts, so that its recovery is also killed.
 */
export class Victim {
  readonly diedAt: number[] = [];
  /** The time from its first death until it stayed up. */
  awayMs = 0;
  isDone = false;
  readonly process: ServiceProcess;

  constructor(
    private readonly harness: Harness,
    readonly name: string,
    private readonly points: readonly CrashPoint[],
    private readonly circumstances: Circumstances = {},
  ) {
    this.process = harness.installation.process(name);
  }

  /** Does some work, during which the process kills itself at each crash point and is restarted. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    await this.arm();
    const [done] = await Promise.all([work(), this.supervise()]);
    return done;
  }

  async arm(): Promise<void> {
    const [point] = this.points;
    const pass = this.harness.random.between(1, PASSES[point] ?? 1);
    await this.process.stop();
    await this.process.start({ ...this.circumstances.settings, CRASH_AT: `${point}:${pass}` });
  }

  /** Restarts the process each time it has killed itself, with the next crash point, and finally without one. */
  async supervise(): Promise<void> {
    const { hurry, settings } = this.circumstances;
    for (const [place, point] of this.points.entries()) {
      const next = this.points.at(place + 1);
      await eventually(
        `the death at ${point}`,
        async () => !this.process.isRunning,
        DEATH_LIMIT_MS,
      );
      this.diedAt.push(performance.now());
      this.harness.count('kills');
      this.isDone = next === undefined;
      if (hurry) await this.harness.installation.sql(hurry);
      await startAgain(this.process, this.harness, {
        ...settings,
        ...(next && { CRASH_AT: `${next}:1` }),
      });
    }
    this.awayMs = performance.now() - this.diedAt[0];
  }
}

/**
 * Acts as a supervisor: restarts a process as soon as it has ended. If the process has another crash point, it may kill
 * itself before it is up; in that case, nothing is measured.
 * @throws Broken if the process was not killed, or takes longer than 5 s to restart, not counting waits for a core; an
 *   Error if it does not start.
 */
async function startAgain(
  process: ServiceProcess,
  harness: Harness,
  settings: Record<string, string> = {},
): Promise<void> {
  holds(process.endedBy === 'SIGKILL', `${process.name} ended by itself: ${process.endedBy}`);
  const startedAt = performance.now();
  const starting = process.start(settings);
  await ('CRASH_AT' in settings ? starting.catch(() => {}) : starting);
  if (!process.isRunning) return;
  const restartMs = performance.now() - startedAt - waitedForCoreMs(process.pid);
  harness.worst('slowest restart ms', restartMs);
  const took = `${process.name} took ${Math.round(restartMs)} ms to restart`;
  holds(restartMs <= RESTART_MAX_MS, took);
}

/**
 * Kills a process and restarts it. `meanwhile` runs in between.
 * @returns the time of the kill in monotonic milliseconds.
 */
export async function killAndRestart(
  process: ServiceProcess,
  harness: Harness,
  meanwhile = () => {},
): Promise<number> {
  const killedAt = performance.now();
  process.kill('SIGKILL');
  harness.count('kills');
  await process.untilEnded();
  meanwhile();
  await startAgain(process, harness);
  return killedAt;
}

/** Returns how long a process waited for a core (proc(5), schedstat), which is not its own fault. */
function waitedForCoreMs(pid: number): number {
  const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waitedNs) / 1e6;
}
