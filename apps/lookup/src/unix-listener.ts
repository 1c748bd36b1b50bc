import { lstat, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { RunningService } from '#libs/platform';

const KEEP_ALIVE_MS = 72_000;
const REQUEST_TIMEOUT_MS = 30_000;

export interface UnixListener {
  /** Takes no more connections and waits for the answers under way. */
  close(): Promise<void>;
}

/**
 * Serves a started service's routes on a Unix socket too, which costs a gateway on the same machine
 * less than loopback TCP. A socket at the path is removed first: a killed process leaves its own behind.
 * @throws when the path cannot be listened on, or is anything but a socket.
 */
export async function listenOnUnixSocket(
  service: RunningService,
  path: string,
): Promise<UnixListener> {
  const there = await lstat(path).catch(() => undefined);
  if (there?.isSocket()) await rm(path);
  const fastify = service.app.getHttpAdapter().getInstance();
  const options = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: REQUEST_TIMEOUT_MS };
  const server = createServer(options, (request, response) => {
    // A connection kept alive after its last answer would hold a closing server for over a minute.
    response.once('close', () => server.listening || server.closeIdleConnections());
    fastify.routing(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}
