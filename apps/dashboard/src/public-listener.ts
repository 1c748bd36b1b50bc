import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { blockListOf } from '#libs/domain-names';
import {
  InvalidRequest,
  JSON_BODY_LIMIT_BYTES,
  OpenConnections,
  checkJsonShape,
  inputValidation,
  siteOf,
  takeProperRequests,
} from '#libs/platform';
import {
  AcceptQueues,
  MethodNotAllowed,
  ProblemBodies,
  SiteTurns,
  answerParserError,
  endWith,
  hasTransfer,
  newRequestId,
} from '#libs/public-http';
import { identifyBrowser } from './browser/browser-request.js';
import { ErrorPageFilter } from './error-page-filter.js';
import { readBodies } from './browser/read-body.js';
import { SECURITY_HEADERS } from './browser/security-headers.js';
import { visitorAddress } from './browser/visitor-address.js';
import type { DashboardConfig } from './dashboard.config.js';
import { PagesModule } from './pages.module.js';
import type { PublicListenerOptions } from './public-listener-options.js';

export interface PublicListener {
  /** The origin of the listener: `http://host:port`. */
  url: string;
  close(): Promise<void>;
}

/**
 * The time limit for a request's headers. A browser sends them at once; a client that sends them
 * slowly occupies a connection (S104).
 */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** The rejection of CONNECT: the dashboard does not tunnel to other hosts. */
const noTunnel = new MethodNotAllowed('GET, POST, PUT, PATCH, DELETE, OPTIONS');
const HEADER_LINES = Object.entries(SECURITY_HEADERS)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/**
 * Starts the public listener, a separate Nest application. Sessions are in a cookie of its origin; API keys have no
 * effect here (S18).
 * @throws if the port is taken.
 */
export async function openPublicListener(options: PublicListenerOptions): Promise<PublicListener> {
  const { config, clock, logger } = options;
  const bodies = new ProblemBodies(config.baseUrl, clock);
  const filter = new ErrorPageFilter(bodies, logger);
  const module = PagesModule.register(options);
  const app = await NestFactory.create<NestFastifyApplication>(
    module,
    adapterOf(options, filter, bodies),
    {
      logger,
      abortOnError: false,
      bodyParser: false,
    },
  );
  app.useGlobalFilters(filter);
  app.useGlobalPipes(inputValidation());
  openConnections(config).watch(app.getHttpServer());
  const { host, port: wanted, reusePort } = config;
  const queues = new AcceptQueues({ host, port: wanted, reusePort });
  await app.listen(queues.options as Parameters<typeof app.listen>[0]);
  await queues.open(app.getHttpServer());
  const { port } = app.getHttpServer().address() as { port: number };
  const close = async () => void (await Promise.all([queues.close(), app.close()]));
  return { url: `http://${host}:${port}`, close };
}

const openConnections = ({ connectionsMax, peerConnectionsMax, trustedProxies }: DashboardConfig) =>
  new OpenConnections({
    connectionsMax,
    ofPeerMax: peerConnectionsMax,
    trustedProxies: blockListOf(trustedProxies),
    idleMs: (socket) => (hasTransfer(socket) ? -1 : undefined),
  });

function adapterOf(
  { config, metrics }: PublicListenerOptions,
  filter: ErrorPageFilter,
  bodies: ProblemBodies,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: JSON_BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: {
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
    },
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) =>
      answerParserError(error, socket, {
        bodies,
        headerLines: HEADER_LINES,
        isAsking: hasTransfer,
      }),
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (_error: Error, request: FastifyRequest, reply: FastifyReply) => {
      // For a path that cannot be decoded, this runs before any hook.
      void reply.headers(SECURITY_HEADERS);
      identifyBrowser(request, reply);
      const problem = new InvalidRequest([{ field: 'path', message: 'is not a valid path' }]);
      filter.refuse(problem, request, reply);
    },
  });
  const server = adapter.getInstance();
  takeProperRequests(server.server, (_request, response, problem) => {
    const requestId = newRequestId();
    const body = bodies.render(problem, { requestId, path: '' });
    const type = 'application/problem+json; charset=utf-8';
    const headers = { ...SECURITY_HEADERS, 'content-type': type, 'x-request-id': requestId };
    response.writeHead(problem.status, headers).end(body, 'latin1');
  });
  server.server.on('connect', (_request, socket) =>
    endWith(socket, noTunnel, { bodies, headerLines: HEADER_LINES }),
  );
  const turns = new SiteTurns();
  server.addHook('onRequest', (request, reply, done) =>
    turns.begin(siteOf(visitorAddress(request)), reply.raw, done),
  );
  const { origin: ownOrigin, host: ownHost } = new URL(config.billingUrl);
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers(SECURITY_HEADERS);
    identifyBrowser(request, reply);
    if (isElsewhere(request, ownHost)) return reply.redirect(ownOrigin + pathOf(request), 308);
    if (request.headers.origin === ownOrigin) allowOwnOrigin(reply, ownOrigin);
  });
  readBodies(server);
  server.addHook('preValidation', async ({ body, raw, routeOptions }) => {
    if (Buffer.isBuffer(body) || body === raw) return;
    checkJsonShape(body, routeOptions.config.hasLongField ? JSON_BODY_LIMIT_BYTES : undefined);
  });
  // In `onSend`, because no earlier hook runs for a path that cannot be decoded.
  server.addHook('onSend', async (request, reply) => {
    if (request.url.startsWith('/api/')) void reply.header('x-csrf-token', request.csrfToken);
  });
  server.addHook('onResponse', async (request, reply) => metrics.requestEnded(request, reply));
  server.get('/health', async () => ({ status: 'ok' }));
  server.options('/api/*', async (_request, reply) => reply.status(204).send());
  return adapter;
}

/** Whether a page is requested under another host name, where it would set a cookie that the forms cannot use. */
function isElsewhere(request: FastifyRequest, ownHost: string): boolean {
  const isPage = request.method === 'GET' && !/^\/(api\/|health$)/.test(request.url);
  return isPage && request.host !== ownHost;
}

/**
 * Returns the path and query, to be appended to the dashboard's origin; `/` if the client sent a whole URL, as to a
 * proxy (RFC 9112 §3.2.2), because the URL would extend the host name.
 */
const pathOf = ({ url }: FastifyRequest) => (url.startsWith('/') ? url : '/');

/**
 * Sends CORS headers only to the dashboard's own origin, so that scripts of other origins cannot read anything (S30).
 */
function allowOwnOrigin(reply: FastifyReply, ownOrigin: string): void {
  void reply.headers({
    'access-control-allow-origin': ownOrigin,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': 'content-type, idempotency-key, x-csrf-token',
    vary: 'Origin',
  });
}
