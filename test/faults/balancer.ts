import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Target, TcpProxy } from './tcp-proxy.js';

export interface BalancerOptions {
  /** Origins of the servers. May be replaced later with `targets`. */
  targets: string[];
  /** The path of the readiness check; a server that answers 200 joins the rotation. */
  healthPath: string;
  intervalMs?: number;
  /** A target that takes longer to answer is not ready. */
  healthTimeoutMs?: number;
}

interface Server extends Target {
  origin: string;
  isHealthy: boolean;
}

const INTERVAL_MS = 200;
const HEALTH_TIMEOUT_MS = 1_000;

/**
 * A load balancer of connections, as used in front of gateways: each new connection goes to the next server that
 * reports ready. It never repeats a request, so every request lost during a stop is noticed.
 */
export class Balancer {
  private servers: Server[] = [];
  private next = 0;
  private readonly stopping = new AbortController();
  private watching: Promise<void> = Promise.resolve();
  private proxy!: TcpProxy;

  private constructor(private readonly options: BalancerOptions) {
    this.targets(options.targets);
  }

  /** Starts when at least one server is ready. */
  static async start(options: BalancerOptions): Promise<Balancer> {
    const balancer = new Balancer(options);
    await balancer.look();
    balancer.proxy = await TcpProxy.start({ route: () => balancer.choose() });
    balancer.watching = balancer.watch();
    return balancer;
  }

  get origin(): string {
    const { host, port } = this.proxy.address;
    return `http://${host}:${port}`;
  }

  get healthy(): string[] {
    return this.servers.filter(({ isHealthy }) => isHealthy).map(({ origin }) => origin);
  }

  /** Changes the servers; those that stay keep their state. */
  targets(origins: string[]): void {
    const known = new Map(this.servers.map((server) => [server.origin, server]));
    this.servers = origins.map((origin) => {
      const { hostname, port } = new URL(origin);
      const fresh = { origin, host: hostname, port: Number(port), isHealthy: false };
      return known.get(origin) ?? fresh;
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await this.proxy.stop();
  }

  private choose(): Target | undefined {
    const ready = this.servers.filter(({ isHealthy }) => isHealthy);
    return ready.at(this.next++ % Math.max(1, ready.length));
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look();
      await sleep(this.options.intervalMs ?? INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
  }

  private async look(): Promise<void> {
    await Promise.all(
      this.servers.map(async (server) => {
        const { healthPath, healthTimeoutMs = HEALTH_TIMEOUT_MS } = this.options;
        server.isHealthy = await isReady(server.origin + healthPath, healthTimeoutMs);
      }),
    );
  }
}

/** Uses a separate connection, so that an idle one does not keep a server from closing. */
function isReady(url: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = get(url, { agent: false, timeout: timeoutMs }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asking.once('timeout', () => asking.destroy());
    asking.once('error', () => resolve(false));
  });
}
