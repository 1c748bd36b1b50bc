import { rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { RunningService } from '#libs/platform';

/**
 * Serves a started service's routes on a Unix socket too, which costs a gateway on the same machine
 * less than loopback TCP. The path is removed first: a killed process leaves its socket behind.
 */
export async function listenOnUnixSocket(service: RunningService, path: string): Promise<Server> {
  await rm(path, { force: true });
  const fastify = service.app.getHttpAdapter().getInstance();
  const server = createServer(
    { keepAliveTimeout: 72_000, requestTimeout: 30_000 },
    (request, response) => fastify.routing(request, response),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  return server;
}
