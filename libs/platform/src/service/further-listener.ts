import { createServer } from 'node:http';
import type { ListenOptions } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { NotFound } from '../platform.errors.js';
import { limitInternalConnections } from '../open-connections.js';
import {
  answerInternalParserError,
  refuseInternally,
  takeProperRequests,
} from '../proper-requests.js';

const KEEP_ALIVE_MS = 72_000;
const REQUEST_TIMEOUT_MS = 30_000;

export interface FurtherListener {
  /** Accepts no more connections and waits for running answers. */
  close(): Promise<void>;
}

/**
 * Also serves routes of a started application at another address, without TLS.
 * @param paths the paths served there; by default, all.
 * @throws if it cannot listen at the address.
 */
export async function listenFurther(
  app: NestFastifyApplication,
  place: ListenOptions,
  paths?: ReadonlySet<string>,
): Promise<FurtherListener> {
  const fastify = app.getHttpAdapter().getInstance();
  const options = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    requireHostHeader: false,
  };
  const server = createServer(options, (request, response) => {
    // A connection kept alive after its last answer would keep a closing server running for over a minute.
    response.once('close', () => server.listening || server.closeIdleConnections());
    if (paths && !paths.has(request.url ?? '')) {
      refuseInternally(request, response, new NotFound());
    } else fastify.routing(request, response);
  });
  takeProperRequests(server, refuseInternally);
  server.on('clientError', answerInternalParserError);
  // Clients of a Unix socket have no address.
  if (place.port !== undefined) limitInternalConnections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, resolve);
  });
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}
