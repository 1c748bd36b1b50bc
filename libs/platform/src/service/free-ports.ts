import { randomInt } from 'node:crypto';
import { type Server, createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections: none of those can take one meanwhile. */
const [LOWEST, HIGHEST] = [20_000, 32_000];
const TRIES_MAX = 200;

/**
 * Loopback ports nobody listens on right now, all different: for addresses that must be known before anything
 * listens there. Whoever can read its port after it has bound 0 does that instead.
 */
export async function freePorts(count: number): Promise<number[]> {
  const held: Server[] = [];
  try {
    for (let tries = 0; held.length < count; tries++) {
      if (tries > TRIES_MAX) throw new Error('found no free ports');
      const server = await listening(randomInt(LOWEST, HIGHEST));
      if (server) held.push(server);
    }
    return held.map((server) => (server.address() as { port: number }).port);
  } finally {
    await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function listening(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}
