import { createServer } from 'node:net';

const DNS_PORT = 53;
const NETWORKS_MAX = 250;
const HOSTS_MAX = 250;

/** A block of 127.0.0.0/8 for one process, whose servers listen on the standard ports, each on its own address. */
export class LoopbackNetwork {
  private last = 0;

  private constructor(private readonly prefix: string) {}

  /** The reason why this process cannot use a block of loopback addresses; undefined if it can. */
  static get missing(): string | undefined {
    if (process.platform !== 'linux') return 'only Linux has all of 127.0.0.0/8';
    return process.getuid?.() === 0 ? undefined : 'only root can listen on ports 43, 53 and 443';
  }

  /**
   * Finds a block in which nothing listens on port 53 of the first address. @throws Error if it finds none in 250
   * blocks.
   */
  static async take(): Promise<LoopbackNetwork> {
    for (let i = 0; i < NETWORKS_MAX; i++) {
      const at = (process.pid + i) % (NETWORKS_MAX * NETWORKS_MAX);
      const prefix = `127.${1 + Math.floor(at / NETWORKS_MAX)}.${1 + (at % NETWORKS_MAX)}`;
      if (await isFree(`${prefix}.1`)) return new LoopbackNetwork(prefix);
    }
    throw new Error('every block of loopback addresses is in use');
  }

  /** Returns the next address. @throws Error after 250. */
  next(): string {
    if (this.last === HOSTS_MAX) throw new Error('the block of loopback addresses is used up');
    return `${this.prefix}.${++this.last}`;
  }

  /** An address on which nothing ever listens. */
  get deadEnd(): string {
    return `${this.prefix}.${HOSTS_MAX + 1}`;
  }
}

function isFree(address: string): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port: DNS_PORT, host: address, exclusive: true }, () =>
      server.close(() => resolve(true)),
    );
  });
}
