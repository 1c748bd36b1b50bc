import { monotonicMs } from '#libs/platform';

/**
 * The initial, the minimum and the maximum number of places. The maximum is half of `WAITING_MAX` in
 * `remembered-answers.ts`.
 */
const PLACES = { first: 64, least: 16, most: 1_000 };
const LOOK_MS = 20;
/**
 * The delay from which the event loop counts as late. A longer delay is noticeable in live lookups, because each of
 * them needs several turns.
 */
const LATE_MS = 10;
/**
 * How long a name may keep its place while it waits for its turn at an upstream and other names are waiting for places.
 */
const FEW_WAIT_MS = 1_000;
const LATE_PART = 0.8;
const READY_PART = 1.1;

/**
 * Limits how many names are looked up at the same time for callers that send many. There are as many places as the
 * event loop can handle: live lookups queue behind all running work, and once the processor is busy, looking up more
 * names at a time does not make them finish any sooner.
 */
export class QuestionPlaces {
  private most: number;
  private taken = 0;
  /**
   * The names that wait for a place: at most 50 for each of the worker's few simultaneous calls, and at most 10
   * suggestions for each account.
   */
  private readonly waiting: (() => void)[] = [];
  private timer?: NodeJS.Timeout;

  constructor(private readonly places = PLACES) {
    this.most = places.first;
  }

  /** Runs `work` once there is a place, in the order of the calls. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.watch();
    if (this.taken >= this.most) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.taken += 1;
    try {
      return await work();
    } finally {
      this.taken -= 1;
      this.letIn();
    }
  }

  /**
   * The time for which a name may wait for its turn at an upstream; unlimited unless there are few places and other
   * names wait for one.
   */
  get waitMaxMs(): number {
    const areFew = this.most < this.places.first && this.waiting.length > 0;
    return areFew ? FEW_WAIT_MS : Infinity;
  }

  adapt(lateMs: number): void {
    const { first, least, most } = this.places;
    if (lateMs >= LATE_MS) this.most = Math.max(least, Math.floor(this.most * LATE_PART));
    else if (this.waiting.length > 0 || this.most < first) {
      this.most = Math.min(most, Math.ceil(this.most * READY_PART));
    }
    this.letIn();
  }

  private letIn(): void {
    while (this.taken < this.most && this.waiting.length > 0) {
      this.taken += 1;
      this.waiting.shift()!();
    }
  }

  /** Measures the delay of the event loop while there is work. */
  private watch(): void {
    if (this.timer) return;
    const dueMs = monotonicMs() + LOOK_MS;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.adapt(monotonicMs() - dueMs);
      if (this.taken > 0) this.watch();
    }, LOOK_MS).unref();
  }
}
