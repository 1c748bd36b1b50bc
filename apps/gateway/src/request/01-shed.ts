import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoadShedderOptions {
  inFlightMax: number;
  /**
   * Maximum event-loop delay (99th percentile per second). After two seconds in a row above it, requests are rejected.
   */
  delayMaxMs: number;
}

const RESOLUTION_MS = 10;
const SAMPLE_MS = 1_000;
const NANOSECONDS = 1e6;

/** Step 1: rejects requests before any work is done, if the process already has more than it can answer. */
export class LoadShedder {
  inFlight = 0;
  /** The event-loop delay, as the 99th percentile of the last second. */
  delayMs = 0;
  private lateSeconds = 0;
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly options: LoadShedderOptions,
    private readonly delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS }),
  ) {}

  start(): void {
    this.delays.enable();
    this.timer = setInterval(() => this.sample(), SAMPLE_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.delays.disable();
  }

  get isOverloaded(): boolean {
    // A single pause, such as during the start, is over once it has been measured.
    return this.lateSeconds > 1 || this.inFlight >= this.options.inFlightMax;
  }

  sample(): void {
    // The histogram includes the interval of its own timer.
    this.delayMs = this.delays.percentile(99) / NANOSECONDS - RESOLUTION_MS;
    this.lateSeconds = this.delayMs > this.options.delayMaxMs ? this.lateSeconds + 1 : 0;
    this.delays.reset();
  }
}
