import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to whoever asks for any: until our server listens, as after each of its
 * restarts, no listener and no outgoing connection of another spec takes it.
 */
const [LOWEST, HIGHEST] = [20_000, 32_000];
const TRIES_MAX = 200;

/** A loopback port nobody listens on right now. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(LOWEST, HIGHEST);
    const probe = createServer();
    try {
      const listening = once(probe, 'listening');
      probe.listen({ port, host: '127.0.0.1', exclusive: true });
      await listening;
    } catch (error) {
      if (tries < TRIES_MAX) continue;
      throw new Error('found no free port', { cause: error });
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
