import type { Logger } from '#libs/platform';

export interface LoopOptions {
  /** What is done, for the log: `relay of account: send`. */
  name: string;
  intervalMs: number;
  logger: Logger;
  work: () => Promise<void>;
}

/**
 * Repeats one piece of work, never twice at a time. A failure is logged once until it works again,
 * and is tried anew after the interval.
 */
export class Loop {
  private state: 'new' | 'running' | 'stopped' = 'new';
  private timer: NodeJS.Timeout | undefined;
  private turn: Promise<void> | undefined;
  private wasPoked = false;
  private isFailing = false;

  constructor(private readonly options: LoopOptions) {}

  start(): void {
    if (this.state !== 'new') return;
    this.state = 'running';
    this.poke();
  }

  /** Works now; once more afterwards when it is at work already. */
  poke(): void {
    if (this.state !== 'running') return;
    if (this.turn) {
      this.wasPoked = true;
      return;
    }
    clearTimeout(this.timer);
    this.turn = this.run();
  }

  /** Waits for the turn that is under way; there is none after it. */
  async stop(): Promise<void> {
    this.state = 'stopped';
    clearTimeout(this.timer);
    await this.turn;
  }

  private async run(): Promise<void> {
    do {
      this.wasPoked = false;
      await this.attempt();
    } while (this.wasPoked && this.state === 'running' && !this.isFailing);
    this.turn = undefined;
    if (this.state !== 'running') return;
    this.timer = setTimeout(() => this.poke(), this.options.intervalMs);
  }

  private async attempt(): Promise<void> {
    const { name, logger, work } = this.options;
    try {
      await work();
      if (this.isFailing) logger.info(`${name} works again`);
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) logger.warn(`${name} fails and is tried again`, error);
      this.isFailing = true;
    }
  }
}
