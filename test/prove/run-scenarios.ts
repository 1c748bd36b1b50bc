import { Worker, type WorkerOptions } from './worker.js';
import type { InstallationScenario, Scenario, ScenarioResult } from './scenario.js';

export interface RunOptions extends WorkerOptions {
  scenarios: Scenario[];
}

/**
 * Runs the scenarios that need the machine for themselves, then two groups in parallel, because most scenarios wait
 * more than they work: those of requests and events on one installation; those of background work on a second one,
 * followed by those that need no installation.
 */
export class ScenarioRunner {
  private readonly workers: Worker[];

  constructor(private readonly options: RunOptions) {
    this.workers = [new Worker(options), new Worker(options)];
  }

  async run(): Promise<ScenarioResult[]> {
    const { scenarios } = this.options;
    const installed = scenarios.filter((scenario) => !scenario.isApart);
    const others = installed.filter(({ isAlone }) => !isAlone);
    const [main, second] = this.workers;
    try {
      const first = await main.run(installed.filter(({ isAlone }) => isAlone));
      const groups = await Promise.all([
        main.run(others.filter(({ isBackground }) => !isBackground)),
        this.backgroundAndApart(second, others),
      ]);
      return [first, ...groups].flat();
    } finally {
      await this.stop();
    }
  }

  private async backgroundAndApart(
    worker: Worker,
    others: InstallationScenario[],
  ): Promise<ScenarioResult[]> {
    const background = await worker.run(others.filter(({ isBackground }) => isBackground));
    await worker.stop();
    const apart = this.options.scenarios.filter((scenario) => scenario.isApart);
    return [...background, ...(await worker.run(apart))];
  }

  /** Ends every process, also if a signal arrives in the middle of a run. */
  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
  }
}
