import { Worker, type WorkerOptions } from './worker.js';
import type { Scenario, ScenarioResult } from './scenario.js';

export interface RunOptions extends WorkerOptions {
  scenarios: Scenario[];
}

/**
 * First runs the scenarios that need the machine for themselves, one after another. Then it runs three groups in
 * parallel: scenarios that only wait, one that waits for minutes on a separate installation, and those that need no
 * installation.
 */
export class ScenarioRunner {
  private readonly main: Worker;
  private readonly alone: Worker;
  private readonly apart: Worker;

  constructor(private readonly options: RunOptions) {
    [this.main, this.alone, this.apart] = [
      new Worker(options),
      new Worker(options),
      new Worker(options),
    ];
  }

  async run(): Promise<ScenarioResult[]> {
    const { scenarios } = this.options;
    const apart = scenarios.filter((scenario) => scenario.isApart);
    const installed = scenarios.filter((scenario) => !scenario.isApart);
    const alone = installed.filter(({ isAlone }) => isAlone);
    const others = installed.filter(({ isAlone }) => !isAlone);
    try {
      const first = await this.main.run(others.filter(({ isWaiting }) => !isWaiting));
      const waiting = others.filter(({ isWaiting }) => isWaiting);
      const last = await Promise.all([
        this.main.run(waiting),
        this.alone.run(alone),
        this.apart.run(apart),
      ]);
      return [first, ...last].flat();
    } finally {
      await this.stop();
    }
  }

  /** Ends every process, also if a signal arrives in the middle of a run. */
  async stop(): Promise<void> {
    await Promise.all([this.main, this.alone, this.apart].map((worker) => worker.stop()));
  }
}
