import { parseHostName } from '#libs/domain-names';
import { monotonicMs } from '#libs/platform';

/** The number of hosts to which connections must have failed before the internet connection is doubted. */
const HOSTS_MIN = 3;
/** The maximum number of hosts that count per registry, because a registry may be down by itself. */
const HOSTS_OF_REGISTRY_MAX = 2;
const QUIET_MS = 5 * 60_000;

/**
 * Determines whether this machine can reach the internet, from the queries that are made anyway. The machine counts as
 * cut off if no server has been reached for five minutes and either the last queries to at least three hosts of two or
 * more registries all failed to connect, or a resolver denied the root. It no longer counts as cut off once a server is
 * reached.
 */
export class WayOut {
  /** The hosts that were not reached, by the registrable name above them, or by address. */
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

  /** Records that a server has accepted a connection or answered. */
  reached(): void {
    this.reachedMs = monotonicMs();
    this.failed.clear();
    this.isRootDenied = false;
  }

  /** Records that a resolver has denied the existence of the root. */
  deniedRoot(): void {
    this.isRootDenied = true;
  }

  /**
   * Records that a server's name did not resolve, that no connection to the server was possible, or that the server
   * sent no packet back.
   */
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
