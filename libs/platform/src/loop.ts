import type { Logger } from './logger.js';

export interface LoopOptions {
  /** The work's name in the log: `relay of account: send`. */
  name: string;
  intervalMs: number;
  logger: Logger;
  /**
   * Does the work of one turn. Resolves to false if there was nothing to do, which is neither a failure nor a recovery.
   */
  work: () => Promise<unknown>;
}

/**
 * Repeats one piece of work, never concurrently. A failure is logged once until the work succeeds again, and the work
 * is retried after the interval.
 */
export class Loop {
  private state: 'new' | 'running' | 'stopped' = 'new';
  private timer: NodeJS.Timeout | undefined;
  private turn: Promise<void> | undefined;
  private isAtWork = false;
  private wasWoken = false;
  private isFailing = false;

  constructor(private readonly options: LoopOptions) {}

  /**
   * Starts the first turn, at once unless a delay is given. Another call, or one after the stop, does nothing.
   * @returns a promise that resolves when a turn that began at once is over, whether it failed or not.
   */
  async start(delayMs = 0): Promise<void> {
    if (this.state !== 'new') return;
    this.state = 'running';
    if (delayMs > 0) this.wait(delayMs);
    else this.wake();
    await this.turn;
  }

  /**
   * Starts a turn now, or after the current one if a turn is running (after the interval, if that turn fails). Does
   * nothing before `start` or after `stop`.
   */
  wake(): void {
    if (this.state !== 'running') return;
    if (this.isAtWork) {
      this.wasWoken = true;
      return;
    }
    clearTimeout(this.timer);
    this.turn = this.run();
  }

  /** Waits for the running turn; no other follows it. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    clearTimeout(this.timer);
    await this.turn;
  }

  private async run(): Promise<void> {
    this.isAtWork = true;
    do {
      this.wasWoken = false;
      await this.attempt();
    } while (this.wasWoken && this.state === 'running' && !this.isFailing);
    this.isAtWork = false;
    if (this.state === 'running') this.wait(this.options.intervalMs);
  }

  private wait(forMs: number): void {
    this.timer = setTimeout(() => this.wake(), forMs);
  }

  private async attempt(): Promise<void> {
    const { name, logger, work } = this.options;
    try {
      if ((await work()) === false) return;
      if (this.isFailing) logger.info(`${name} works again`);
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) logger.warn(`${name} failed and is retried`, error);
      this.isFailing = true;
    }
  }
}
