import type { AddressInfo, Server, Socket } from 'node:net';

/** A server's open sockets. Closing the server also closes the sockets, even during an endless answer. */
export class Connections {
  private readonly open = new Set<Socket>();

  constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.open.delete(socket));
    });
  }

  /** Listens on one of the loopback addresses and returns the port; 0 requests a free one. */
  async listen(port: number, address = '127.0.0.1'): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen(port, address, resolve);
    });
    return (this.server.address() as AddressInfo).port;
  }

  /** Resets the TCP connection below a TLS connection, which TLS sockets cannot do. */
  reset(remotePort: number | undefined): void {
    for (const socket of this.open) if (socket.remotePort === remotePort) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const socket of this.open) socket.destroy();
    await closed;
  }
}

/** Sends one byte at a time until the reader disconnects. */
export function drip(socket: Socket, bytes: Buffer, intervalMs: number): void {
  let next = 0;
  const timer = setInterval(
    () => socket.write(bytes.subarray(next % bytes.length, (next++ % bytes.length) + 1)),
    intervalMs,
  );
  socket.once('close', () => clearInterval(timer));
}
