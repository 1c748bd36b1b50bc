import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { once } from 'node:events';
import { type Direction, Faults, Link } from './link.js';

export interface Target {
  host: string;
  port: number;
}

export interface TcpProxyOptions {
  /** Returns the destination of a new connection; undefined refuses the connection. */
  route: () => Target | undefined;
  host?: string;
  port?: number;
}

/**
 * A network that can be made to fail: a proxy between a client and a server on loopback that forwards bytes until it is
 * told to reset, delay, lose or hold them. Every fault lasts until `heal`, except faults of one connection.
 */
export class TcpProxy {
  accepted = 0;
  private readonly links = new Set<Link>();
  private readonly faults = new Faults();
  /** The open server; undefined while the proxy refuses connections. */
  private server?: Server;
  private port: number;

  private constructor(private readonly options: TcpProxyOptions) {
    this.port = options.port ?? 0;
  }

  static async start(options: TcpProxyOptions): Promise<TcpProxy> {
    const proxy = new TcpProxy(options);
    await proxy.listen();
    return proxy;
  }

  static async before(target: Target | string): Promise<TcpProxy> {
    const address = typeof target === 'string' ? addressIn(target) : target;
    return TcpProxy.start({ route: () => address });
  }

  get address(): Target {
    return { host: this.options.host ?? '127.0.0.1', port: this.port };
  }

  get takenBytes(): number {
    return this.faults.takenBytes;
  }

  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = this.address.host;
    changed.port = String(this.port);
    // A Unix socket would bypass the proxy.
    changed.searchParams.delete('host');
    return changed.toString();
  }

  /** Resets every connection (RST to both sides). New connections work. */
  reset(): void {
    for (const link of this.links) link.reset();
  }

  /** Resets open connections and refuses new ones, as if no server were listening. */
  async refuse(): Promise<void> {
    await this.stop();
  }

  /** Stalls the network: connections are accepted and stay open, but no bytes pass. Held bytes arrive after `heal`. */
  stall(): void {
    this.faults.stalled ??= Promise.withResolvers();
  }

  /** Delays each chunk of bytes by this many milliseconds, and preserves their order. */
  delay(delayMs: number): void {
    this.faults.delayMs = delayMs;
  }

  /** Reads and discards the bytes of one direction. */
  lose(direction: Direction): void {
    this.faults.losing.add(direction);
  }

  /** Ends every fault. Held bytes arrive now; lost bytes remain lost. */
  async heal(): Promise<void> {
    this.faults.stalled?.resolve();
    this.faults.stalled = undefined;
    this.faults.delayMs = 0;
    this.faults.losing.clear();
    this.faults.traps = [];
    if (!this.server) await this.listen();
  }

  /**
   * Loses the answer on the next connection whose client sends `text`, and resets this connection `afterMs` later.
   * Resolves after the reset.
   */
  loseAnswerTo(text: string, afterMs = 200): Promise<void> {
    return this.trap(text, true, afterMs);
  }

  /** Resets the next connection whose client sends `text`, before the server receives the text. */
  resetBefore(text: string): Promise<void> {
    return this.trap(text, false, 0);
  }

  async stop(): Promise<void> {
    this.reset();
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }

  private trap(text: string, isForwarded: boolean, afterMs: number): Promise<void> {
    return new Promise((struck) => this.faults.traps.push({ text, isForwarded, afterMs, struck }));
  }

  private async listen(): Promise<void> {
    this.server = createServer({ allowHalfOpen: true }, (client) => this.accept(client));
    const { host, port } = this.address;
    this.server.listen(port, host);
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private accept(client: Socket): void {
    this.accepted++;
    client.on('error', () => {});
    const target = this.options.route();
    if (target === undefined) return void client.resetAndDestroy();
    const server = connect({ ...target, allowHalfOpen: true, noDelay: true });
    client.setNoDelay(true);
    const link = new Link(client, server, this.faults);
    this.links.add(link);
    void link.closed.then(() => this.links.delete(link));
  }
}

function addressIn(url: string): Target {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
