import type { Random } from '../random.js';
import { Broken } from './environment/broken.js';
import {
  type Harness,
  type InstallationScenario,
  type Scenario,
  type ScenarioResult,
} from './scenario.js';
import { Installation } from './environment/installation.js';

export interface WorkerOptions {
  random: Random;
  isLong: boolean;
  /** Lines of progress. */
  say(text: string): void;
  /** Whether to keep the installation's folder, with every log. */
  isKept: boolean;
  /** Receives each result as soon as it is available. */
  done(result: ScenarioResult): void;
}

const SHORT_PAUSE_MS = 10_000;
const LONG_PAUSE_MS = 60_000;

/** Runs scenarios one after another on one installation, which is replaced if a scenario breaks it. */
export class Worker {
  private installation?: Installation;

  constructor(private readonly options: WorkerOptions) {}

  async run(scenarios: Scenario[]): Promise<ScenarioResult[]> {
    const results: ScenarioResult[] = [];
    for (const scenario of scenarios) {
      const result = await this.one(scenario);
      this.options.done(result);
      results.push(result);
    }
    return results;
  }

  /** Ends every process, also if a signal arrives in the middle of a run. */
  async stop(): Promise<void> {
    const { installation } = this;
    this.installation = undefined;
    if (this.options.isKept && installation) this.options.say(`logs in ${installation.folder}`);
    await installation?.stop(this.options.isKept);
  }

  private async one(scenario: Scenario): Promise<ScenarioResult> {
    const own = this.options.random.for(scenario.name);
    const { name, fault, expectation } = scenario;
    const result = { name, fault, expectation, seed: own.seed, durationMs: 0, counts: {} };
    const reason = scenario.missing?.();
    if (reason) return { ...result, outcome: 'not run', reason };
    const startedAt = performance.now();
    const counts: Record<string, number> = {};
    try {
      const harness = this.harness(own, counts);
      await (scenario.isApart ? scenario.run(harness) : this.installed(scenario, harness));
      return { ...result, outcome: 'passed', counts, durationMs: performance.now() - startedAt };
    } catch (error) {
      const durationMs = performance.now() - startedAt;
      if (!scenario.isApart) await this.afterFailure();
      return { ...result, outcome: 'failed', reason: reasonOf(error), counts, durationMs };
    }
  }

  private async installed(scenario: InstallationScenario, harness: Harness): Promise<void> {
    this.installation ??= await Installation.start();
    await scenario.run({ ...harness, installation: this.installation });
  }

  private harness(random: Random, counts: Record<string, number>): Harness {
    const { isLong, say } = this.options;
    return {
      random,
      isLong,
      pauseMs: isLong ? LONG_PAUSE_MS : SHORT_PAUSE_MS,
      count: (what, by = 1) => (counts[what] = (counts[what] ?? 0) + by),
      worst: (what, value) => (counts[what] = Math.max(counts[what] ?? 0, Math.round(value))),
      say,
    };
  }

  /** Prevents a failed scenario from making the next one fail. */
  private async afterFailure(): Promise<void> {
    const { installation } = this;
    try {
      await installation?.heal();
      await installation?.checker.check({ unbilledMax: Infinity });
    } catch (error) {
      this.options.say(`a new installation, because this one is broken: ${reasonOf(error)}`);
      await this.stop().catch((failure: unknown) => this.options.say(String(failure)));
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Broken) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
