import { clusterAvailability } from '../../apps/cluster/src/cluster.js';
import type { Random } from '../random.js';
import { Broken } from './environment/patience.js';
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

/** Runs scenarios one after another on one installation, and replaces the installation when a scenario has failed. */
export class Worker {
  private installation?: Installation;

  constructor(private readonly options: WorkerOptions) {}

  /** Runs the scenarios, and keeps the installation for those of later calls. */
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
    const isApart = scenario.group === 'apart';
    const missing = scenario.missing?.() ?? (isApart ? undefined : clusterAvailability());
    if (missing) return result('not run', missing);
    try {
      if (!isApart) this.installation ??= await Installation.start();
      await scenario.run(this.harness(own, counts));
      return result('passed');
    } catch (error) {
      const failed = result('failed', reasonOf(error));
      await this.replace();
      return failed;
    }
  }

  private harness(random: Random, counts: Record<string, number>): Harness {
    const { isLong } = this.options;
    return {
      // A scenario of the group `apart` does not use the installation.
      installation: this.installation as Installation,
      random,
      isLong,
      pauseMs: isLong ? LONG_PAUSE_MS : SHORT_PAUSE_MS,
      count: (what, by = 1) => (counts[what] = (counts[what] ?? 0) + by),
      worst: (what, value) => (counts[what] = Math.max(counts[what] ?? 0, Math.round(value))),
    };
  }

  /** Keeps the logs, and lets the next scenario start a new installation. */
  private async replace(): Promise<void> {
    if (!this.installation) return;
    this.installation.isKept = true;
    this.options.say(`logs are kept in ${this.installation.folder}`);
    await this.stop().catch((failure: unknown) => this.options.say(String(failure)));
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Broken) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
