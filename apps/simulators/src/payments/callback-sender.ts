import { SECOND_MS } from '#libs/platform';
import { keepLatest } from './kept.js';

export interface Callback {
  /** The event's id at the processor. */
  id: string;
  type: string;
  body: string;
  /** Returns the signature headers. */
  headers(secret: string): Record<string, string>;
}

export interface CallbackTarget {
  url: string;
  secret: string;
}

interface DeliveryFaults {
  duplicates: number;
  delayMs: number;
  /** Whether to delay callbacks briefly and send the newest first. */
  reorder: boolean;
  drop: boolean;
}

export interface Delivery {
  id: string;
  type: string;
  /** The HTTP status; 0 if there was no answer. */
  status: number;
}

const NO_FAULTS: DeliveryFaults = {
  duplicates: 0,
  delayMs: 0,
  reorder: false,
  drop: false,
};

const REORDER_MS = 300;
const TIMEOUT_MS = 5 * SECOND_MS;
const RETRY_DELAYS_MS = [1, 5, 30, 60, 300].map((seconds) => seconds * SECOND_MS);
const DELIVERIES_MAX = 1_000;

/** Sends signed callbacks, and retries those that were not accepted. `faults` makes it misbehave. */
export class CallbackSender {
  target: CallbackTarget | undefined;
  faults: DeliveryFaults = { ...NO_FAULTS };
  /** The latest deliveries, oldest first. */
  readonly deliveries: Delivery[] = [];

  private held: Callback[] | undefined;
  private isReordering = false;
  private isStopped = false;
  private readonly underWay = new Set<Promise<void>>();
  private readonly timers = new Set<NodeJS.Timeout>();

  send(callback: Callback): void {
    if (this.faults.drop || !this.target) return;
    if (this.held) {
      this.held.push(callback);
      return;
    }
    if (this.faults.reorder && !this.isReordering) this.holdForReorder(callback);
    else this.track(this.sendCopies(callback));
  }

  /** Holds all callbacks until `takeHeld`. */
  hold(): void {
    this.held ??= [];
  }

  /** Ends the hold and returns the held callbacks, oldest first, for a caller that delivers them itself. */
  takeHeld(): readonly Callback[] {
    const held = this.held ?? [];
    this.held = undefined;
    return held;
  }

  /** Resolves when no delivery is running or delayed. Pending retries do not count. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers) clearTimeout(timer);
    await this.idle();
  }

  private holdForReorder(first: Callback): void {
    this.isReordering = true;
    this.held = [first];
    this.track(this.releaseReversed());
  }

  private async releaseReversed(): Promise<void> {
    await wait(REORDER_MS);
    const held = this.held ?? [];
    this.held = undefined;
    // Callbacks are delivered one after another, because the network may reorder concurrent deliveries.
    for (const callback of held.toReversed()) await this.sendCopies(callback);
    this.isReordering = false;
  }

  private async sendCopies(callback: Callback): Promise<void> {
    const { duplicates, delayMs } = this.faults;
    const copies = Array.from({ length: duplicates + 1 }, () =>
      this.deliver(callback, { attempt: 0, delayMs }),
    );
    await Promise.all(copies);
  }

  private async deliver(
    callback: Callback,
    { attempt, delayMs = 0 }: { attempt: number; delayMs?: number },
  ): Promise<void> {
    await wait(delayMs);
    if (this.isStopped || !this.target) return;
    const { url, secret } = this.target;
    const status = await this.post(url, callback, secret);
    const { id, type } = callback;
    keepLatest(this.deliveries, { id, type, status }, DELIVERIES_MAX);
    const retryMs = RETRY_DELAYS_MS[attempt];
    if ((status >= 200 && status < 300) || retryMs === undefined || this.isStopped) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.track(this.deliver(callback, { attempt: attempt + 1 }));
    }, retryMs);
    this.timers.add(timer.unref());
  }

  private async post(url: string, callback: Callback, secret: string): Promise<number> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', ...callback.headers(secret) },
        body: callback.body,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }

  private track(work: Promise<void>): void {
    const tracked = work.finally(() => this.underWay.delete(tracked));
    this.underWay.add(tracked);
  }
}

async function wait(ms: number): Promise<void> {
  if (ms <= 0) return;
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
}
