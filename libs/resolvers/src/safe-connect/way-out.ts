import { parseHostName } from '#libs/domain-names';
import { monotonicMs } from '#libs/platform';

/** The number of hosts that must have been tried in vain before the internet connection is doubted. */
const HOSTS_MIN = 3;
/** A registry may be down by itself, so at most this many of its hosts count. */
const HOSTS_OF_REGISTRY_MAX = 2;
const QUIET_MS = 5 * 60_000;

/**
 * Whether this machine reaches the internet, as seen from its queries: nothing is queried only to find out. It is cut
 * off when the last queries to at least three hosts of two registries all failed to connect, or a resolver denied the
 * root, and no server has been reached for five minutes. This is believed until one is reached again.
 */
export class WayOut {
  /** Hosts by the registrable name above them, or by address. */
  private readonly failed = new Map<string, Set<string>>();
  private isRootDenied = false;
  private reachedMs = -Infinity;

  /** Whether a server has been reached within five minutes. */
  get isProven(): boolean {
    return monotonicMs() - this.reachedMs <= QUIET_MS;
  }

  get isCutOff(): boolean {
    return (this.isRootDenied || this.countFailed() >= HOSTS_MIN) && !this.isProven;
  }

  /** A server took a connection or answered. */
  reached(): void {
    this.reachedMs = monotonicMs();
    this.failed.clear();
    this.isRootDenied = false;
  }

  /** A resolver answered that the root does not exist. */
  deniedRoot(): void {
    this.isRootDenied = true;
  }

  /** A server could neither be resolved nor connected to, or no packet came back. */
  notReached(host: string): void {
    if (this.countFailed() >= HOSTS_MIN) return;
    const parsed = parseHostName(host);
    const registry = parsed.ok ? parsed.hostName.domain.name : host;
    const hosts = this.failed.get(registry) ?? new Set();
    if (hosts.size < HOSTS_OF_REGISTRY_MAX) this.failed.set(registry, hosts.add(host));
  }

  private countFailed(): number {
    return [...this.failed.values()].reduce((sum, { size }) => sum + size, 0);
  }
}
