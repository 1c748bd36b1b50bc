import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { BlockList, type Socket, isIP } from 'node:net';
import { SECOND_MS, monotonicMs } from './clock.js';
import { SITE_FACTOR, networkOf, siteOf } from './network.js';

export interface OpenConnectionsOptions {
  connectionsMax: number;
  /** The maximum number of connections of one network that is not a trusted proxy. */
  ofPeerMax: number;
  trustedProxies: BlockList;
  /**
   * The idle time of a connection about which Node's HTTP server does not know enough; -1 while it is active; undefined
   * for all other connections.
   */
  idleMs?: (socket: Socket) => number | undefined;
}

/** Answers that are only delayed rejections. */
const unimportant = new WeakSet<ServerResponse>();

/** Lets the connection of an answer count as idle: it may be closed to make room for another one. */
export const makeUnimportant = (answer: ServerResponse) => void unimportant.add(answer);

/** A network, or a site with all of its networks, and its maximum number of connections. */
interface Peer {
  name: string;
  max: number;
}

interface Asking {
  request: IncomingMessage;
  response: ServerResponse;
  answer: RequestListener;
}

/** The events with which Node's HTTP server passes on a request; the last two are for requests with `Expect`. */
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'] as const;

/** A socket with Node's parser and the connection below TLS, which its type definitions omit. */
type ParsedSocket = Socket & { parser?: { onIncoming: () => number }; _parent?: Socket | null };

interface Connection {
  socket: Socket;
  /** The peers for which the connection counts; empty for a trusted proxy. */
  peers: Peer[];
  asking: Set<Asking>;
  /** Pipelined requests that wait behind those in `asking` and have not been started. */
  waiting: Asking[];
  /** When the connection's last request began or ended. */
  quietSinceMs: number;
}

/** A full listener closes this share of its connections at once, because each search visits all of them. */
const SHARE_CLOSED = 0.01;
/**
 * The maximum number of requests of one connection that are in progress; Node itself would start all that its parser
 * has read.
 */
const ASKING_MAX = 4;
/** A connection with more requests than this waiting behind those in progress is closed. */
const WAITING_MAX = 64;
/** A site may open this many times as many connections in a second as one of its networks may have open. */
const OPENED_FACTOR = 4;

/**
 * The connections of a listener (S126), limited per network, per site and in total. When a limit is reached, the
 * connections that have been idle longest are closed; a new one is refused only if none is idle. A connection also
 * counts as idle while it waits for its client, which has not sent its whole request or does not read the answer.
 * Otherwise, one client behind a proxy, which has no limit, could occupy all connections with such requests. Each
 * connection has few requests in progress at a time; requests pipelined behind them are dropped when the connection
 * closes. A connection that its client has already reset, or that its site opens in excess, is closed before it reaches
 * Node's HTTP server, because HTTP is most of what a connection costs.
 */
export class OpenConnections {
  private readonly all = new Map<Socket, Connection>();
  private readonly ofPeers = new Map<string, Set<Connection>>();
  /** How many connections each site has opened within the second that began at `secondMs`. */
  private readonly opened = new Map<string, number>();
  private secondMs = monotonicMs();

  constructor(private readonly options: OpenConnectionsOptions) {}

  /** Watches a server. All of its listeners must have been added before. */
  watch(server: Server): void {
    const connected = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection').on('connection', (socket: Socket) => {
      if (!this.admit(socket)) return void socket.destroy();
      for (const listener of connected) listener.call(server, socket);
    });
    for (const event of REQUEST_EVENTS) {
      const listeners = server.listeners(event) as RequestListener[];
      if (listeners.length === 0) continue;
      const answer: RequestListener = (request, response) => {
        for (const listener of listeners) listener.call(server, request, response);
      };
      server.removeAllListeners(event).on(event, (request, response) => {
        const { socket }: { socket: ParsedSocket } = request;
        const connection = this.all.get(socket._parent ?? socket);
        if (!connection) return answer(request, response);
        connection.waiting.push({ request, response, answer });
        if (connection.waiting.length > WAITING_MAX) closeFlood(socket);
        this.begin(connection);
      });
    }
  }

  private begin(connection: Connection): void {
    if (connection.socket.destroyed) connection.waiting = [];
    while (connection.asking.size < ASKING_MAX) {
      const next = connection.waiting.shift();
      if (!next) return;
      connection.asking.add(next);
      connection.quietSinceMs = monotonicMs();
      next.response.once('close', () => {
        connection.asking.delete(next);
        connection.quietSinceMs = monotonicMs();
        this.begin(connection);
      });
      next.answer(next.request, next.response);
    }
  }

  private admit(socket: Socket): boolean {
    // A connection that was reset before it was accepted has no address.
    if (socket.remoteAddress === undefined) return false;
    const { connectionsMax } = this.options;
    const peers = this.peersOf(socket.remoteAddress);
    if (this.isFlood(peers)) return false;
    for (const { name, max } of peers) {
      const own = this.ofPeers.get(name);
      if (own && own.size >= max && !this.closeIdle(own, 1)) return false;
    }
    const share = Math.ceil(connectionsMax * SHARE_CLOSED);
    if (this.all.size >= connectionsMax && !this.closeIdle(this.all.values(), share)) return false;
    this.add(socket, peers);
    return true;
  }

  /**
   * Counts a new connection.
   * @returns whether its site has opened too many within a second; a trusted proxy never does.
   */
  private isFlood(peers: Peer[]): boolean {
    const site = peers.at(-1)?.name;
    if (site === undefined) return false;
    const nowMs = monotonicMs();
    if (nowMs - this.secondMs >= SECOND_MS) {
      this.opened.clear();
      this.secondMs = nowMs;
    }
    const count = (this.opened.get(site) ?? 0) + 1;
    this.opened.set(site, count);
    return count > this.options.ofPeerMax * OPENED_FACTOR;
  }

  private add(socket: Socket, peers: Peer[]): void {
    const quietSinceMs = monotonicMs();
    const connection = { socket, peers, asking: new Set<Asking>(), waiting: [], quietSinceMs };
    this.all.set(socket, connection);
    for (const { name } of peers) {
      const own = this.ofPeers.get(name) ?? new Set();
      this.ofPeers.set(name, own.add(connection));
    }
    socket.once('close', () => this.forget(connection));
  }

  /**
   * Closes up to `count` connections, those that have been idle for longest. @returns false if no connection is idle.
   */
  private closeIdle(connections: Iterable<Connection>, count: number): boolean {
    const idle: [number, Connection][] = [];
    // The time is read once, so that interruptions of this loop do not make later connections appear idle for longer.
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

  private idleMsOf({ socket, asking, quietSinceMs }: Connection, nowMs: number): number {
    const isWaitedFor = [...asking].some(isOurTurn);
    return this.options.idleMs?.(socket) ?? (isWaitedFor ? -1 : nowMs - quietSinceMs);
  }

  private forget(connection: Connection): void {
    this.all.delete(connection.socket);
    connection.waiting = [];
    for (const { name } of connection.peers) {
      const own = this.ofPeers.get(name);
      if (own?.delete(connection) && own.size === 0) this.ofPeers.delete(name);
    }
  }

  /** Returns the peers of a connection; empty for a trusted proxy, which all clients share. */
  private peersOf(remoteAddress: string): Peer[] {
    const { ofPeerMax, trustedProxies } = this.options;
    const address = remoteAddress.replace(/^::ffff:(?=.*\.)/, '');
    const family = isIP(address);
    const isTrusted = family !== 0 && trustedProxies.check(address, family === 4 ? 'ipv4' : 'ipv6');
    if (isTrusted) return [];
    const peers = [{ name: networkOf(address), max: ofPeerMax }];
    if (family === 6) peers.push({ name: siteOf(address), max: ofPeerMax * SITE_FACTOR });
    return peers;
  }
}

/** More connections than all callers at one address need, and few enough for the memory of a process. */
const INTERNAL_LIMITS = { connectionsMax: 8_192, ofPeerMax: 2_048 };

/**
 * Limits the connections of an internal listener, except those from this machine, because all services may run on the
 * same machine. All of the server's listeners must have been added before.
 */
export function limitInternalConnections(server: Server): void {
  const trustedProxies = new BlockList();
  trustedProxies.addAddress('127.0.0.1', 'ipv4');
  trustedProxies.addAddress('::1', 'ipv6');
  new OpenConnections({ ...INTERNAL_LIMITS, trustedProxies }).watch(server);
}

/**
 * Closes a connection, and makes Node's parser reject the next request that it has already read. Otherwise, the parser
 * would start all requests of a packet, thousands of them, in one turn of the event loop.
 */
function closeFlood(socket: ParsedSocket): void {
  if (socket.parser) socket.parser.onIncoming = () => -1;
  socket.destroy();
}

/** Whether the server must send the next byte: the client has sent its whole request and reads the answer. */
function isOurTurn({ request, response }: Asking): boolean {
  if (unimportant.has(response)) return false;
  return request.complete && !response.writableEnded && !response.writableNeedDrain;
}
