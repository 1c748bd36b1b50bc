import { Lane, type LaneOptions } from './lane.js';
import type { Row, RowResult } from './row.js';

export interface RunOptions extends LaneOptions {
  rows: Row[];
}

/**
 * Runs what needs the machine for itself first, row after row. Then three things beside one another: rows that only
 * wait, one that waits for minutes on an installation of its own, and those that need no installation.
 */
export class RowRunner {
  private readonly main: Lane;
  private readonly alone: Lane;
  private readonly apart: Lane;

  constructor(private readonly options: RunOptions) {
    [this.main, this.alone, this.apart] = [new Lane(options), new Lane(options), new Lane(options)];
  }

  async run(): Promise<RowResult[]> {
    const { rows } = this.options;
    const apart = rows.filter((row) => row.isApart);
    const installed = rows.filter((row) => !row.isApart);
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

  /** Ends every process; also for a signal in the middle of a run. */
  async stop(): Promise<void> {
    await Promise.all([this.main, this.alone, this.apart].map((lane) => lane.stop()));
  }
}
