import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, type ListenOptions, type Server, createServer } from 'node:net';
import { SECOND_MS } from '#libs/platform';

const QUEUES = 16;
/** Once a server no longer listens, Node's own time limits of requests no longer apply. */
const CLOSE_MAX_MS = 25 * SECOND_MS;
/**
 * Whether sockets that share one port get its connections evenly; on other systems, the distribution is uneven, or one
 * socket gets all.
 */
const CAN_SHARE = process.platform === 'linux';

/**
 * The queues of new connections of a public port (S126). The event loop takes one connection from a queue in each turn.
 * With a single queue, a client that opens many connections would make all others wait; the kernel spreads clients over
 * several queues. The port must be probed first; otherwise, another process could share the queues.
 */
export class AcceptQueues {
  private further: Server[] = [];
  private server: HttpServer;

  constructor(private readonly address: ListenOptions & { host: string }) {}

  get options(): ListenOptions {
    const { reusePort } = this.address;
    return { ...this.address, reusePort: reusePort || CAN_SHARE };
  }

  /** Opens the queues. @param server the listening server, which gets the connections of all queues. */
  async open(server: HttpServer): Promise<void> {
    this.server = server;
    if (!CAN_SHARE) return;
    const { port } = server.address() as AddressInfo;
    // These are the socket options of Node's HTTP server.
    const socketOptions = { allowHalfOpen: true, noDelay: true };
    this.further = Array.from({ length: QUEUES - 1 }, () =>
      createServer(socketOptions, (socket) => server.emit('connection', socket)),
    );
    await Promise.all(
      this.further.map(async (queue) => {
        queue.listen({ ...this.options, port });
        await once(queue, 'listening');
      }),
    );
  }

  /**
   * Accepts no further connections; the caller closes the server. Resolves when all connections are closed. Those that
   * are still open after `maxMs`, by default 25 s, are cut off; otherwise, one client that sends or reads slowly would
   * keep the process running.
   */
  async close(maxMs = CLOSE_MAX_MS): Promise<void> {
    const cutOff = setTimeout(() => this.server.closeAllConnections(), maxMs);
    await Promise.all([
      once(this.server, 'close'),
      ...this.further.splice(0).map((queue) => new Promise((resolve) => queue.close(resolve))),
    ]);
    clearTimeout(cutOff);
  }
}
