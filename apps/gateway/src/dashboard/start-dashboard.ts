import type { ListenOptions } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  InvalidRequest,
  JSON_BODY_LIMIT_BYTES,
  checkJsonShape,
  inputValidation,
} from '#libs/platform';
import { DashboardModule } from '../dashboard.module.js';
import { identifyBrowser } from './browser/browser-request.js';
import { readBodies } from './browser/read-body.js';
import { SECURITY_HEADERS } from './browser/security-headers.js';
import { ErrorPageFilter } from './browser/error-page-filter.js';
import type { DashboardOptions } from './dashboard-options.js';

export interface RunningDashboard {
  /** `http://host:port` of the listener. */
  url: string;
  /** Finishes what is under way and closes the listener and the connections to account. */
  stop(): Promise<void>;
}

const CONNECTIONS_MAX = 2_000;
/** A browser sends its headers at once; a client that drips them blocks a connection (S104). */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

/**
 * The gateway's second listener: the dashboard's origin, a Nest application of its own. Sessions live in a
 * cookie of this origin; an API key means nothing here (S18).
 * @throws when the port is taken.
 */
export async function startDashboard(options: DashboardOptions): Promise<RunningDashboard> {
  const { logger, host, port: wanted, reusePort } = options;
  const filter = new ErrorPageFilter(options.bodies, logger);
  const adapter = adapterOf(options, filter);
  const module = DashboardModule.register(options);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger,
    abortOnError: false,
    bodyParser: false,
  });
  app.useGlobalFilters(filter);
  app.useGlobalPipes(inputValidation());
  app.getHttpServer().maxConnections = options.connectionsMax ?? CONNECTIONS_MAX;
  const address: ListenOptions = { host, port: wanted, reusePort };
  await app.listen(address as Parameters<typeof app.listen>[0]);
  const { port } = app.getHttpServer().address() as { port: number };
  return { url: `http://${host}:${port}`, stop: () => app.close() };
}

function adapterOf(options: DashboardOptions, filter: ErrorPageFilter): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: JSON_BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 5_000 },
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      // A path that cannot be decoded comes here before any hook.
      void reply.headers(SECURITY_HEADERS);
      identifyBrowser(request, reply);
      const problem = new InvalidRequest([{ field: 'path', message: 'is not a valid path' }]);
      filter.refuse(problem, request, reply);
    },
  });
  const server = adapter.getInstance();
  readBodies(server);
  const { origin: ownOrigin, host: ownHost } = new URL(options.publicUrl);
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers(SECURITY_HEADERS);
    identifyBrowser(request, reply);
    if (isElsewhere(request, ownHost)) return reply.redirect(ownOrigin + pathOf(request), 308);
    if (request.headers.origin === ownOrigin) allowOwnOrigin(reply, ownOrigin);
  });
  server.addHook('preValidation', async ({ body }) => {
    if (!Buffer.isBuffer(body)) checkJsonShape(body);
  });
  // At the end: a session that begins with this answer comes with a new token.
  server.addHook('onSend', async (request, reply) => {
    if (request.url.startsWith('/api/')) void reply.header('x-csrf-token', request.csrfToken);
  });
  server.get('/health', async () => ({ status: 'ok' }));
  server.options('/api/*', async (_request, reply) => reply.status(204).send());
  return adapter;
}

/** A page under another name of this machine would hold a cookie that our forms cannot use. */
function isElsewhere(request: FastifyRequest, ownHost: string): boolean {
  const isPage = request.method === 'GET' && !/^\/(api\/|health$)/.test(request.url);
  return isPage && request.host !== ownHost;
}

/** A proxy's client may name a whole URL, whose beginning would end the name of our host (RFC 9112 §3.2.2). */
const pathOf = ({ url }: FastifyRequest) => (url.startsWith('/') ? url : '/');

/** Other origins get no CORS header at all, so their scripts read nothing (S30). */
function allowOwnOrigin(reply: FastifyReply, ownOrigin: string): void {
  void reply.headers({
    'access-control-allow-origin': ownOrigin,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': 'content-type, idempotency-key, x-csrf-token',
    vary: 'Origin',
  });
}
