import type { Socket } from 'node:net';
import type { Clock } from '#libs/platform';
import { isAsking } from '../context/open-requests.js';
import type { ApiRequest, Reply } from '../context/request-context.js';
import { AnswerBuffer } from './answer-buffer.js';
import { HttpDate } from './http-date.js';
import { PlainConnection, type PlainConnectionOwner } from './plain-connection.js';

export interface PlainConnectionsOptions {
  clock: Clock;
  /** Maximum time from the opening of a connection to its first request, in milliseconds. */
  firstRequestTimeoutMs: number;
  /** Maximum time from an answer to the next request, in milliseconds. */
  keepAliveTimeoutMs: number;
  /** Starts handling a request. @returns false if the target is not an operation of the API. */
  take(request: ApiRequest, reply: Reply, target: string): boolean;
  handOver(socket: Socket, packet: Buffer): void;
}

const TICK_MAX_MS = 1_000;
const TICKS_PER_TIMEOUT = 10;

/** Manages a listener's plain connections: limits their idle time and closes them. */
export class PlainConnections implements PlainConnectionOwner {
  readonly date: HttpDate;
  readonly keepAliveLines: string;
  readonly answers = new AnswerBuffer();
  isDraining = false;
  private readonly connections = new Set<PlainConnection>();
  private readonly ofSockets = new WeakMap<Socket, PlainConnection>();
  private readonly tickMs: number;
  private readonly timer: NodeJS.Timeout;
  private readonly ticks: { firstRequest: number; keepAlive: number };

  constructor(private readonly options: PlainConnectionsOptions) {
    const { clock, firstRequestTimeoutMs, keepAliveTimeoutMs } = options;
    this.date = new HttpDate(clock);
    const seconds = Math.floor(keepAliveTimeoutMs / 1000);
    this.keepAliveLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`;
    const shortest = Math.min(firstRequestTimeoutMs, keepAliveTimeoutMs);
    const tickMs = Math.max(1, Math.min(TICK_MAX_MS, Math.ceil(shortest / TICKS_PER_TIMEOUT)));
    this.tickMs = tickMs;
    const ticksOf = (ms: number) => Math.ceil(ms / tickMs);
    this.ticks = {
      firstRequest: ticksOf(firstRequestTimeoutMs),
      keepAlive: ticksOf(keepAliveTimeoutMs),
    };
    this.timer = setInterval(() => this.tick(), tickMs);
  }

  add(socket: Socket): void {
    const connection = new PlainConnection(socket, this);
    this.connections.add(connection);
    this.ofSockets.set(socket, connection);
  }

  take(request: ApiRequest, reply: Reply, target: string): boolean {
    return this.options.take(request, reply, target);
  }

  handOver(connection: PlainConnection, packet: Buffer): void {
    this.connections.delete(connection);
    this.ofSockets.delete(connection.socket);
    this.options.handOver(connection.socket, packet);
  }

  closed(connection: PlainConnection): void {
    this.connections.delete(connection);
  }

  /**
   * Returns how long a connection has been idle, in milliseconds rounded to ticks; -1 while a request is in progress;
   * undefined if it is no longer a plain connection. A delayed rejection, or an answer that the client does not read,
   * is not in progress.
   */
  idleMs(socket: Socket): number | undefined {
    const connection = this.ofSockets.get(socket);
    if (connection === undefined) return undefined;
    return isAsking(socket) ? -1 : connection.quietTicks * this.tickMs;
  }

  get isSending(): boolean {
    for (const { socket } of this.connections) if (socket.writableLength > 0) return true;
    return false;
  }

  /**
   * Watches a client that does not accept its answer at once. Node restarts its timer whenever data is sent, so a slow
   * reader keeps the connection, and a client that reads nothing loses it.
   */
  awaitReader(connection: PlainConnection): void {
    const { socket } = connection;
    const end = () => socket.destroy();
    socket.setTimeout(this.options.keepAliveTimeoutMs, end);
    socket.once('drain', () => {
      // If the connection was handed over in the meantime, Node's server sets its time limits.
      if (this.connections.has(connection)) socket.setTimeout(0, end);
    });
  }

  /** Closes idle connections once their data has been sent; the other connections close after their answer. */
  closeIdle(): void {
    this.isDraining = true;
    clearInterval(this.timer);
    for (const connection of this.connections) {
      if (connection.isIdle) connection.socket.destroySoon();
    }
  }

  closeAll(): void {
    for (const { socket } of this.connections) socket.destroy();
  }

  /** Checks all connections with one timer. A timer per answer, as in Node, costs more than reading the request. */
  private tick(): void {
    const { firstRequest, keepAlive } = this.ticks;
    for (const connection of this.connections) {
      const most = connection.hasAsked ? keepAlive : firstRequest;
      if (connection.isIdle && connection.quietTicks++ >= most) connection.socket.destroy();
    }
  }
}
