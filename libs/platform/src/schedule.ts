import type { Logger } from './logger.js';

/** Something done again and again. `runOnce` decides by `Clock` what is due. */
export interface Job {
  readonly name: string;
  runOnce(): Promise<unknown>;
  /** Called when no further run follows. */
  end?(): Promise<void>;
}

/** Runs each job at its interval, never twice at a time; a failure is logged and tried again. */
export class Schedule {
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly jobs: Job[] = [];

  constructor(private readonly logger: Logger) {}

  every(intervalMs: number, job: Job): void {
    this.jobs.push(job);
    let isRunning = false;
    const tick = () => {
      if (isRunning) return;
      isRunning = true;
      const run = this.run(job).finally(() => {
        isRunning = false;
        this.running.delete(run);
      });
      this.running.add(run);
    };
    this.timers.push(setInterval(tick, intervalMs));
  }

  /** No further runs; waits for those under way. */
  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.running);
    await Promise.all(this.jobs.map((job) => job.end?.()));
  }

  private async run(job: Job): Promise<void> {
    try {
      await job.runOnce();
    } catch (error) {
      this.logger.error(`job ${job.name} failed`, { err: error });
    }
  }
}
