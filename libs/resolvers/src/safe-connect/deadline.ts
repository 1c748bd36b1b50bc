import { ConnectionError, type ConnectionFault } from './connection-error.js';

/** Aborts its signal, with the fault to report, when the time is up or the outer signal aborts. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;

  constructor(
    timeoutMs: number,
    fault: ConnectionFault,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.timer = setTimeout(() => this.controller.abort(new ConnectionError(fault)), timeoutMs);
    outer?.addEventListener('abort', this.cancel, { once: true });
    if (outer?.aborted === true) this.cancel();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Removes the time limit; the outer signal still applies. */
  clearTimer(): void {
    clearTimeout(this.timer);
  }

  clear(): void {
    this.clearTimer();
    this.outer?.removeEventListener('abort', this.cancel);
  }

  private readonly cancel = () => {
    const reason: unknown = this.outer?.reason;
    this.controller.abort(
      reason instanceof ConnectionError ? reason : new ConnectionError('cancelled'),
    );
  };
}
