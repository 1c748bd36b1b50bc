import { Worker, type WorkerOptions } from './worker.js';
import type { Scenario, ScenarioResult } from './scenario.js';

export interface RunOptions extends WorkerOptions {
  scenarios: Scenario[];
}

/**
 * Runs three groups in parallel, because most scenarios wait more than they work: those of requests and events on one
 * installation, those of background work on a second one, and those that need no installation.
 */
export class ScenarioRunner {
  private readonly workers: Worker[] = [];

  constructor(private readonly options: RunOptions) {}

  async run(): Promise<ScenarioResult[]> {
    const { scenarios } = this.options;
    const groups = [
      scenarios.filter((scenario) => !scenario.isApart && !scenario.isBackground),
      scenarios.filter((scenario) => !scenario.isApart && scenario.isBackground),
      scenarios.filter((scenario) => scenario.isApart),
    ];
    try {
      const running = groups.map(async (group) => {
        const worker = new Worker(this.options);
        this.workers.push(worker);
        return worker.run(group);
      });
      return (await Promise.all(running)).flat();
    } finally {
      await this.stop();
    }
  }

  /** Ends every process, also if a signal arrives in the middle of a run. */
  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }
}
