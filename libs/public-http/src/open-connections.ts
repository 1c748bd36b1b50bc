import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { type BlockList, type Socket, isIP } from 'node:net';
import { monotonicMs, networkOf } from '#libs/platform';

export interface OpenConnectionsOptions {
  connectionsMax: number;
  /** The maximum number of connections of one network that is not a trusted proxy. */
  ofPeerMax: number;
  trustedProxies: BlockList;
  /**
   * The idle time of a connection that Node's HTTP server does not know (yet), -1 while it is active; undefined for all
   * others.
   */
  idleMs?: (socket: Socket) => number | undefined;
}

interface Connection {
  socket: Socket;
  /** Undefined for a trusted proxy. */
  peer?: string;
  /** Requests that Node's HTTP server is processing. */
  asking: number;
  /** Pipelined requests behind them, which have not been started. */
  waiting: [IncomingMessage, ServerResponse][];
  idleSinceMs: number;
}

/**
 * The share of connections that are closed at once when the listener is full, because each search visits all
 * connections.
 */
const SHARE_CLOSED = 0.01;
/**
 * The number of requests of one connection that are processed at a time; Node's parser would start all that it has
 * read.
 */
const ASKING_MAX = 4;
/** The number of requests of one connection that may wait behind these; a connection with more is closed. */
const WAITING_MAX = 64;

/**
 * The connections of a public listener (S126), limited per network and in total. When a limit is reached, the
 * connections that have been idle longest are closed; a new one is refused only if none is idle. Each connection has
 * few requests in progress at a time, and requests that it pipelined behind them are dropped with it.
 */
export class OpenConnections {
  private readonly all = new Map<Socket, Connection>();
  private readonly ofPeers = new Map<string, Set<Connection>>();

  constructor(private readonly options: OpenConnectionsOptions) {}

  /** Watches a server whose listeners are complete. */
  watch(server: Server): void {
    server.prependListener('connection', (socket: Socket) => {
      if (!this.admit(socket)) socket.destroy();
    });
    const listeners = server.listeners('request') as RequestListener[];
    const answer: RequestListener = (request, response) => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    server.removeAllListeners('request').on('request', (request, response) => {
      const connection = this.all.get(request.socket);
      if (!connection) return answer(request, response);
      connection.waiting.push([request, response]);
      if (connection.waiting.length > WAITING_MAX) request.socket.destroy();
      this.begin(connection, answer);
    });
  }

  /** Starts as many waiting requests as the limit allows. */
  private begin(connection: Connection, answer: RequestListener): void {
    if (connection.socket.destroyed) connection.waiting = [];
    while (connection.asking < ASKING_MAX) {
      const next = connection.waiting.shift();
      if (!next) return;
      const [request, response] = next;
      connection.asking++;
      response.once('close', () => {
        connection.asking--;
        connection.idleSinceMs = monotonicMs();
        this.begin(connection, answer);
      });
      answer(request, response);
    }
  }

  private admit(socket: Socket): boolean {
    const { connectionsMax, ofPeerMax } = this.options;
    const peer = this.peerOf(socket);
    const own = peer === undefined ? undefined : this.ofPeers.get(peer);
    if (own && own.size >= ofPeerMax && !this.closeIdle(own, 1)) return false;
    const share = Math.ceil(connectionsMax * SHARE_CLOSED);
    if (this.all.size >= connectionsMax && !this.closeIdle(this.all.values(), share)) return false;
    this.add(socket, peer);
    return true;
  }

  private add(socket: Socket, peer: string | undefined): void {
    const connection = { socket, peer, asking: 0, waiting: [], idleSinceMs: monotonicMs() };
    this.all.set(socket, connection);
    const own = peer === undefined ? undefined : (this.ofPeers.get(peer) ?? new Set());
    if (own) this.ofPeers.set(peer!, own.add(connection));
    socket.once('close', () => this.forget(connection));
  }

  /** False if no connection is idle. */
  private closeIdle(connections: Iterable<Connection>, count: number): boolean {
    const idle: [number, Connection][] = [];
    // Measured once, so that interruptions of this loop do not make later connections appear idle for longer.
    const nowMs = monotonicMs();
    for (const connection of connections) {
      const idleMs = this.idleMsOf(connection, nowMs);
      if (idleMs >= 0) idle.push([idleMs, connection]);
    }
    idle.sort(([one], [other]) => other - one);
    for (const [, connection] of idle.slice(0, count)) {
      this.forget(connection);
      connection.socket.destroy();
    }
    return idle.length > 0;
  }

  private idleMsOf({ socket, asking, idleSinceMs }: Connection, nowMs: number): number {
    return this.options.idleMs?.(socket) ?? (asking > 0 ? -1 : nowMs - idleSinceMs);
  }

  private forget(connection: Connection): void {
    this.all.delete(connection.socket);
    connection.waiting = [];
    const { peer } = connection;
    const own = peer === undefined ? undefined : this.ofPeers.get(peer);
    if (!own?.delete(connection)) return;
    if (own.size === 0) this.ofPeers.delete(peer!);
  }

  /** Undefined for a trusted proxy, which all clients share. */
  private peerOf(socket: Socket): string | undefined {
    const address = (socket.remoteAddress ?? '').replace(/^::ffff:(?=.*\.)/, '');
    const family = isIP(address);
    const isTrusted =
      family !== 0 && this.options.trustedProxies.check(address, family === 4 ? 'ipv4' : 'ipv6');
    return isTrusted ? undefined : networkOf(address);
  }
}
