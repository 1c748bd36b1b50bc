import type { Random } from '../random.js';
import { Broken } from './environment/broken.js';
import { Installation } from './environment/installation.js';
import type { Harness, Scenario, ScenarioResult } from './scenario.js';

export interface WorkerOptions {
  random: Random;
  isLong: boolean;
  say(text: string): void;
  done(result: ScenarioResult): void;
}

const SHORT_PAUSE_MS = 10_000;
const LONG_PAUSE_MS = 60_000;

/** Runs scenarios one after another on one installation, and replaces the installation if a scenario breaks it. */
export class Worker {
  private installation?: Installation;

  constructor(private readonly options: WorkerOptions) {}

  /** Runs the scenarios. Keeps the installation for others. */
  async run(scenarios: Scenario[]): Promise<void> {
    for (const scenario of scenarios) this.options.done(await this.one(scenario));
  }

  /** Ends every process, even if a signal arrives during a run. */
  async stop(): Promise<void> {
    const { installation } = this;
    this.installation = undefined;
    await installation?.stop();
  }

  private async one(scenario: Scenario): Promise<ScenarioResult> {
    const { name } = scenario;
    const own = this.options.random.for(name);
    const counts: Record<string, number> = {};
    const startedAt = performance.now();
    const result = (outcome: ScenarioResult['outcome'], reason?: string) => {
      const durationMs = performance.now() - startedAt;
      return { name, outcome, reason, seed: own.seed, durationMs, counts };
    };
    const missing = scenario.missing?.();
    if (missing) return result('not run', missing);
    try {
      if (!scenario.isApart) this.installation ??= await Installation.start();
      await scenario.run(this.harness(own, counts));
      return result('passed');
    } catch (error) {
      const failed = result('failed', reasonOf(error));
      if (!scenario.isApart) await this.afterFailure();
      return failed;
    }
  }

  private harness(random: Random, counts: Record<string, number>): Harness {
    const { isLong, say } = this.options;
    return {
      // A scenario with `isApart` does not use the installation.
      installation: this.installation as Installation,
      random,
      isLong,
      pauseMs: isLong ? LONG_PAUSE_MS : SHORT_PAUSE_MS,
      count: (what, by = 1) => (counts[what] = (counts[what] ?? 0) + by),
      worst: (what, value) => (counts[what] = Math.max(counts[what] ?? 0, Math.round(value))),
      say,
    };
  }

  /** Keeps the logs, and replaces the installation, so that a failed scenario does not make the next one fail. */
  private async afterFailure(): Promise<void> {
    const { installation } = this;
    if (!installation) return;
    installation.isKept = true;
    this.options.say(`logs are kept in ${installation.folder}`);
    try {
      await installation.heal();
      await installation.checker.check(Infinity);
    } catch (error) {
      this.options.say(
        `starting a new installation, because this one is broken: ${reasonOf(error)}`,
      );
      await this.stop().catch((failure: unknown) => this.options.say(String(failure)));
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Broken) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
