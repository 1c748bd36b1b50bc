import { randomInt } from 'node:crypto';
import { type Server, createServer } from 'node:net';

/** The range to choose from, below the ports that systems assign to outgoing connections. */
const [LOWEST, HIGHEST] = [20_000, 32_000];
const BLOCK = 50;
const TRIES_MAX = 2_000;

/**
 * The ports of one process, taken from blocks that no other process has: the process listens on a block's first port
 * until it ends. Otherwise, two clusters that start at the same time could choose the same port before either listens.
 */
export class FreePorts {
  private next = 0;
  private end = 0;
  private claiming?: Promise<void>;

  /**
   * Finds loopback ports on which no process is listening, and returns each port only once. @throws if no block is
   * left.
   */
  async take(count: number): Promise<number[]> {
    const ports: number[] = [];
    while (ports.length < count) {
      if (this.next === this.end) {
        await (this.claiming ??= this.claimBlock().finally(() => (this.claiming = undefined)));
        continue;
      }
      const port = this.next++;
      const server = await listening(port);
      if (!server) continue;
      await new Promise((resolve) => server.close(resolve));
      ports.push(port);
    }
    return ports;
  }

  private async claimBlock(): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const first = LOWEST + BLOCK * randomInt((HIGHEST - LOWEST) / BLOCK);
      const claim = await listening(first);
      if (!claim) continue;
      claim.unref();
      [this.next, this.end] = [first + 1, first + BLOCK];
      return;
    }
    throw new Error('found no free ports');
  }
}

const ofThisProcess = new FreePorts();

/**
 * Finds free ports. Use them only for addresses that must be known before anything listens there. A caller that can
 * read the port after binding to 0 should do that instead. @throws Error if no block of ports is left.
 */
export async function freePorts(count: number): Promise<number[]> {
  return ofThisProcess.take(count);
}

function listening(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}
