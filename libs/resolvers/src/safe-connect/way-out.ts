import { monotonicMs } from '#libs/platform';

/** So many different servers must have been tried in vain before the way out is doubted. */
const SERVERS_MIN = 2;
const QUIET_MS = 5 * 60_000;

/**
 * Whether this machine reaches the internet, as seen from its queries: nothing is asked only to find out. It is cut off
 * when the last queries to several servers all failed to connect and no server has been reached for five minutes. This
 * is believed until one is reached again.
 */
export class WayOut {
  private readonly failed = new Set<string>();
  private reachedMs = -Infinity;

  /** Whether a server has been reached within five minutes. */
  get isProven(): boolean {
    return monotonicMs() - this.reachedMs <= QUIET_MS;
  }

  get isCutOff(): boolean {
    return this.failed.size >= SERVERS_MIN && !this.isProven;
  }

  /** A server took a connection or answered. */
  reached(): void {
    this.reachedMs = monotonicMs();
    this.failed.clear();
  }

  /** A server could neither be resolved nor connected to, or no packet came back. */
  notReached(server: string): void {
    if (this.failed.size < SERVERS_MIN) this.failed.add(server);
  }
}
