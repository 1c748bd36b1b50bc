import type { Server } from 'node:tls';
import { NestFactory } from '@nestjs/core';
import type { DynamicModule, Type } from '@nestjs/common';
import type { CustomStrategy } from '@nestjs/microservices';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type RawBodies, addRawBodies, cutStreams } from './raw-bodies.js';
import { listenFurther } from './further-listener.js';
import { JSON_BODY_LIMIT_BYTES, checkJsonShape, inputValidation } from './input.js';
import { crashPoint } from '../crash-point.js';
import { SECOND_MS } from '../clock.js';
import { Health } from './health.js';
import { Logger } from '../logger.js';
import { limitInternalConnections } from '../open-connections.js';
import { InvalidRequest } from '../platform.errors.js';
import type { InternalCallsConfig } from '../internal-calls/internal-calls.config.js';
import { ServiceIdentity } from '../internal-calls/internal-route.js';
import { InternalTls } from '../internal-calls/internal-tls.js';
import { ProblemFilter } from './problem.filter.js';
import {
  answerInternalParserError,
  refuseInternally,
  takeProperRequests,
} from '../proper-requests.js';
import { watchRequests } from './request-watch.js';

export interface ServiceOptions extends RawBodies {
  module: Type | DynamicModule;
  logger: Logger;
  /** 0 asks the system for a free port. */
  port: number;
  host: string;
  /** TLS of the listener, and a plain port for probes. */
  config?: Pick<InternalCallsConfig, 'internalTlsFolder' | 'probePort'>;
  /** The strategy that feeds this service's event consumers, if it has any. */
  strategy?: CustomStrategy['strategy'];
}

/**
 * A started service. `stop` drains it: reports it as not ready, stops the consumers and then the listener, and runs the
 * modules' own hooks. Downloads are cut off at once, and other requests after 25 s.
 */
export interface RunningService {
  app: NestFastifyApplication;
  /** `http://host:port` of the internal listener; `https://` with TLS. */
  url: string;
  stop(): Promise<void>;
}

const STOP_MAX_MS = 25 * SECOND_MS;
const PROBED = new Set(['/health', '/ready', '/metrics']);

/**
 * Starts one Nest application on its internal listener, with the validation and error format that all services share.
 * @throws Error if it cannot listen there, or if a file for TLS is missing or unusable.
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { internalTlsFolder: folder, probePort } = options.config ?? {};
  const tls = folder ? new InternalTls(folder, options.logger) : undefined;
  const adapter = new FastifyAdapter({
    ...(tls && { https: { ...tls.listenerOptions, requireHostHeader: false } }),
    bodyLimit: JSON_BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: 200 },
    keepAliveTimeout: 72_000,
    // An upload may take as long as data is transferred; the gateway ends an upload that stalls.
    requestTimeout: options.takesUploads ? 0 : 30_000,
    forceCloseConnections: 'idle',
    // Fastify's own answer to a path that it cannot decode would repeat the whole URL, including keys (S9).
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const problem = new InvalidRequest([{ field: 'path', message: 'is not a valid path' }]);
      reply.hijack();
      refuseInternally(request.raw, reply.raw, problem);
    },
    clientErrorHandler: answerInternalParserError,
    ...(!tls && { http: { requireHostHeader: false } }),
  });
  takeProperRequests(adapter.getInstance().server, refuseInternally);
  const app = await NestFactory.create<NestFastifyApplication>(options.module, adapter, {
    logger: options.logger,
    abortOnError: false,
  });
  addRawBodies(app, options);
  app.useGlobalPipes(inputValidation());
  app.useGlobalFilters(new ProblemFilter(options.logger));
  const { name } = app.get(ServiceIdentity, { strict: false });
  let isStopping = false;
  adapter
    .getInstance()
    .addHook('preValidation', (request, _reply, done) => {
      const isRead = !Buffer.isBuffer(request.body) && request.body !== request.raw;
      if (isRead) checkJsonShape(request.body);
      done();
    })
    .addHook('onSend', (request, reply, _payload, done) => {
      if (request.method !== 'GET') crashPoint('command.before-answer');
      // Otherwise, an answer sent while stopping would leave an idle connection that keeps the listener open.
      if (isStopping) void reply.header('connection', 'close');
      done();
    });
  watchRequests(adapter.getInstance(), name, options.logger);
  if (options.strategy) {
    app.connectMicroservice<CustomStrategy>(
      { strategy: options.strategy },
      { inheritAppConfig: false },
    );
    await app.startAllMicroservices();
  }
  watchConnections(app, tls);
  await app.listen(options.port, options.host);
  const probes =
    probePort === undefined
      ? undefined
      : await listenFurther(app, { port: probePort, host: options.host }, PROBED);
  const address = app.getHttpServer().address() as { port: number };
  return {
    app,
    url: `${tls ? 'https' : 'http'}://${hostInUrl(options.host)}:${address.port}`,
    stop: async () => {
      app.get(Health, { strict: false }).drain();
      isStopping = true;
      cutStreams(adapter.getInstance());
      await closeInTime(app);
      await probes?.close();
    },
  };
}

/** Keeps the listener's certificate up to date, and limits its connections. */
function watchConnections(app: NestFastifyApplication, tls?: InternalTls): void {
  tls?.renew(app.getHttpServer() as unknown as Server);
  limitInternalConnections(app.getHttpServer());
}

/** Closes the application, and cuts off the requests that last too long. */
async function closeInTime(app: NestFastifyApplication): Promise<void> {
  const { server } = app.getHttpAdapter().getInstance();
  const cutOff = setTimeout(() => server.closeAllConnections(), STOP_MAX_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(cutOff);
  }
}

/** Returns the host in the form that a URL needs (RFC 3986 §3.2.2). */
const hostInUrl = (host: string) => (host.includes(':') ? `[${host}]` : host);
