import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { TcpProxy } from './tcp-proxy.js';

const INTERVAL_MS = 100;

/**
 * A load balancer for connections, as used in front of gateways. Each new connection goes to the next healthy server;
 * without one, the connection is reset. The balancer never repeats a request, so a test notices every request that is
 * lost during a stop.
 */
export class Balancer {
  healthy: string[] = [];
  private next = 0;
  private readonly stopping = new AbortController();
  private watching: Promise<void>;
  private proxy: TcpProxy;

  private constructor(
    private readonly targets: readonly string[],
    private readonly timeoutMs: number,
  ) {}

  /** @param timeoutMs a server that takes longer to answer its health check is not healthy. */
  static async start(targets: readonly string[], timeoutMs: number): Promise<Balancer> {
    const balancer = new Balancer(targets, timeoutMs);
    await balancer.look();
    balancer.proxy = await TcpProxy.start({ route: () => balancer.choose() });
    balancer.watching = balancer.watch();
    return balancer;
  }

  get origin(): string {
    const { host, port } = this.proxy.address;
    return `http://${host}:${port}`;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.watching;
    await this.proxy.stop();
  }

  private choose() {
    const origin = this.healthy.at(this.next++ % Math.max(1, this.healthy.length));
    if (origin === undefined) return undefined;
    const { hostname, port } = new URL(origin);
    return { host: hostname, port: Number(port) };
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await sleep(INTERVAL_MS, undefined, { signal }).catch(() => {});
      await this.look();
    }
  }

  private async look(): Promise<void> {
    const { targets } = this;
    const areReady = await Promise.all(targets.map((target) => this.isReady(target)));
    this.healthy = targets.filter((_, place) => areReady[place]);
  }

  /** Asks on a separate connection, so that no idle connection keeps a server from closing. */
  private async isReady(origin: string): Promise<boolean> {
    const signal = AbortSignal.timeout(this.timeoutMs);
    try {
      const { statusCode, body } = await request(`${origin}/health`, { reset: true, signal });
      await body.dump();
      return statusCode === 200;
    } catch {
      return false;
    }
  }
}
