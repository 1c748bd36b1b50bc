import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { once } from 'node:events';
import { type Direction, Link, type Trap } from './link.js';

export interface Target {
  host: string;
  port: number;
}

export interface TcpProxyOptions {
  /** The destination of a new connection; undefined refuses it. */
  route: () => Target | undefined;
  /** The address on which it listens; by default that of loopback. */
  host?: string;
  /** 0 takes a free one. */
  port?: number;
}

const LOOPBACK = '127.0.0.1';

type Behaviour = 'passing' | 'stalled' | 'refusing';

/**
 * A network that can be made to fail: a proxy between a client and a server on loopback that passes bytes on until it
 * is told to reset, delay, lose or hold them. Every fault lasts until `heal`, except those for a single connection.
 */
export class TcpProxy {
  private readonly links = new Set<Link>();
  /** Connections that were accepted while stalled and have no server connection yet. */
  private readonly held = new Set<Socket>();
  private server?: Server;
  private behaviour: Behaviour = 'passing';
  private delayMs = 0;
  private readonly losing = new Set<Direction>();
  private port: number;
  /** The faults for the next connection that sends these bytes. */
  private readonly traps: Trap[] = [];
  accepted = 0;
  /** The bytes received from clients, whether or not they were passed on. */
  takenBytes = 0;

  private constructor(private readonly options: TcpProxyOptions) {
    this.port = options.port ?? 0;
  }

  static async start(options: TcpProxyOptions): Promise<TcpProxy> {
    const proxy = new TcpProxy(options);
    await proxy.listen();
    return proxy;
  }

  /** Creates a proxy in front of one server, for example a database. */
  static async before(target: Target | URL | string): Promise<TcpProxy> {
    const address = targetOf(target);
    return TcpProxy.start({ route: () => address });
  }

  get address(): Target {
    return { host: this.options.host ?? LOOPBACK, port: this.port };
  }

  get connections(): number {
    return this.links.size + this.held.size;
  }

  /** The same URL through this proxy. */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = this.address.host;
    changed.port = String(this.port);
    // A Unix socket would bypass it.
    changed.searchParams.delete('host');
    return changed.toString();
  }

  /** Resets every connection (RST to both sides); new connections work. */
  reset(): void {
    for (const link of this.links) link.reset();
    for (const socket of this.held) socket.resetAndDestroy();
  }

  /** Resets open connections and refuses new ones, as if no server were listening. */
  async refuse(): Promise<void> {
    this.behaviour = 'refusing';
    this.reset();
    await this.close();
  }

  /** Stalls: connections are accepted and stay open, but no byte passes. Held bytes arrive after `heal`. */
  stall(): void {
    this.behaviour = 'stalled';
    for (const link of this.links) link.pause();
  }

  /** Delays each chunk by this much, and keeps their order. */
  delay(delayMs: number): void {
    this.delayMs = delayMs;
  }

  /** Reads and discards the bytes of one direction. */
  lose(direction: Direction): void {
    this.losing.add(direction);
  }

  /** Ends every lasting fault. Held bytes arrive now; lost bytes stay lost. */
  async heal(): Promise<void> {
    const before = this.behaviour;
    this.behaviour = 'passing';
    this.delayMs = 0;
    this.losing.clear();
    this.traps.length = 0;
    if (before === 'refusing') await this.listen();
    for (const socket of this.held) this.open(socket);
    this.held.clear();
    for (const link of this.links) link.resume();
  }

  /**
   * For the next connection whose client sends `text`, the server gets the bytes, the client never gets the answer, and
   * both are reset `afterMs` later. Resolves once it has happened.
   */
  loseAnswerTo(text: string, afterMs = 200): Promise<void> {
    return this.trap({ text, isForwarded: true, afterMs });
  }

  /** Resets the next connection whose client sends `text` before the server has read it. */
  resetBefore(text: string): Promise<void> {
    return this.trap({ text, isForwarded: false, afterMs: 0 });
  }

  async stop(): Promise<void> {
    this.reset();
    await this.close();
  }

  private trap(trap: Omit<Trap, 'struck'>): Promise<void> {
    return new Promise((resolve) => this.traps.push({ ...trap, struck: resolve }));
  }

  private async listen(): Promise<void> {
    this.server = createServer({ allowHalfOpen: true }, (socket) => this.accept(socket));
    const { host, port } = this.address;
    this.server.listen(port, host);
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private async close(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }

  private accept(socket: Socket): void {
    this.accepted++;
    socket.on('error', () => {});
    if (this.behaviour !== 'stalled') return this.open(socket);
    this.held.add(socket);
    socket.once('close', () => this.held.delete(socket));
  }

  private open(client: Socket): void {
    const target = this.options.route();
    if (target === undefined || client.destroyed) {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ ...target, allowHalfOpen: true, noDelay: true });
    client.setNoDelay(true);
    const link = new Link(client, server, {
      delayMs: () => this.delayMs,
      isLost: (direction) => this.losing.has(direction),
      sent: (bytes) => this.spring(bytes),
    });
    this.links.add(link);
    void link.closed.then(() => this.links.delete(link));
    if (this.behaviour === 'stalled') link.pause();
  }

  /** Applies the fault that is set for these bytes. */
  private spring(bytes: Buffer) {
    this.takenBytes += bytes.length;
    const found = this.traps.findIndex(({ text }) => bytes.includes(text));
    if (found === -1) return undefined;
    const [trap] = this.traps.splice(found, 1);
    return trap;
  }
}

function targetOf(target: Target | URL | string): Target {
  if (typeof target === 'object' && 'host' in target && !(target instanceof URL)) return target;
  const { hostname, port } = new URL(target);
  return { host: hostname, port: Number(port) };
}
