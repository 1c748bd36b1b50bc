import type { ListenOptions } from 'node:net';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { type EntitlementClient, OPERATIONS, type Operation } from '#libs/contracts';
import {
  InvalidRequest,
  JSON_BODY_LIMIT_BYTES,
  type Logger,
  NotFound,
  type Problem,
  type ServiceTokens,
  checkJsonShape,
  toProblem,
} from '#libs/platform';
import type { ProblemBodies } from '../problems/problem-body.js';
import { identifyBrowser, refuseForgery } from './browser/browser-request.js';
import { balanceAnswer, ledgerAnswer } from './credits-answer.js';
import { DashboardCalls } from './dashboard-calls.js';
import { type Mailbox, mailboxRoutes } from './mailbox-routes.js';
import { pageRoutes } from './page-routes.js';
import { errorPage } from './pages/error.js';
import { ACCOUNT_ROUTES, proxiedRoutes } from './proxy/proxied-route.js';
import { proxyRoutes } from './proxy/proxy-routes.js';
import { type OwnerUrls, ServiceProxies } from './proxy/service-proxies.js';
import { SECURITY_HEADERS } from './browser/security-headers.js';

export interface DashboardOptions {
  /** `BILLING_URL`: the one origin whose browsers are believed. */
  publicUrl: string;
  /** `BASE_URL`, for the curl lines that pages show. */
  apiUrl: string;
  host: string;
  /** 0 asks the system for a free port. */
  port: number;
  /** Other gateways of this machine listen on the port, too. */
  reusePort?: boolean;
  /** Internal listeners of the services whose calls pass here; account's is needed. */
  owners: OwnerUrls;
  /** Rows with a session or a signature are routed. */
  operations?: readonly Operation[];
  entitlement: EntitlementClient;
  tokens: ServiceTokens;
  /** Gives refusals their public form, as on the API. */
  bodies: ProblemBodies;
  /** Addresses or CIDR blocks whose `X-Forwarded-For` is believed (S96); none by default. */
  trustedProxies?: string[];
  /** Connections at most, so that idle ones cannot take the API's share of the process; 2,000 by default. */
  connectionsMax?: number;
  /** The local mailbox that `/mailbox` shows; only where mail is not really sent. */
  mailbox?: Mailbox;
  logger: Logger;
}

export interface RunningDashboard {
  /** `http://host:port` of the listener. */
  url: string;
  /** Finishes what is under way and closes the listener and the connections to account. */
  stop(): Promise<void>;
}

const CONNECTIONS_MAX = 2_000;
/** A browser sends its headers at once; whoever drips them is holding a place (S104). */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

/**
 * The gateway's second listener: the dashboard's origin. Sessions live in a cookie of this origin; an
 * API key means nothing here (S18).
 * @throws when the port is taken.
 */
export async function startDashboard(options: DashboardOptions): Promise<RunningDashboard> {
  const proxies = new ServiceProxies(options.owners, options.tokens);
  const server = dashboardServer(options, proxies);
  server.server.maxConnections = options.connectionsMax ?? CONNECTIONS_MAX;
  const { host, port: wanted, reusePort } = options;
  const address: ListenOptions = { host, port: wanted, reusePort };
  await server.listen(address);
  const { port } = server.server.address() as { port: number };
  return {
    url: `http://${options.host}:${port}`,
    stop: async () => {
      await server.close();
      await proxies.close();
    },
  };
}

function dashboardServer(options: DashboardOptions, proxies: ServiceProxies): FastifyInstance {
  const { bodies, logger, operations = OPERATIONS } = options;
  const calls = new DashboardCalls(proxies, options.entitlement);
  const server = Fastify({
    bodyLimit: JSON_BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 5_000 },
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    trustProxy: options.trustedProxies?.length ? options.trustedProxies : false,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (error, request, reply) => {
      // A path that cannot be decoded comes here before any hook.
      void reply.headers(SECURITY_HEADERS);
      identifyBrowser(request, reply);
      refuse(bodies, request, reply, toProblem(error));
    },
  });
  const { origin: ownOrigin, host: ownHost } = new URL(options.publicUrl);
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => readForm(body),
  );
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers(SECURITY_HEADERS);
    identifyBrowser(request, reply);
    if (isElsewhere(request, ownHost)) return reply.redirect(ownOrigin + request.url, 308);
    if (request.headers.origin === ownOrigin) allowOwnOrigin(reply, ownOrigin);
  });
  // At the end: a session that begins with this answer comes with a new token.
  server.addHook('onSend', async (request, reply) => {
    if (request.url.startsWith('/api/')) void reply.header('x-csrf-token', request.csrfToken);
  });
  server.addHook('preValidation', async (request) => {
    if (request.routeOptions.config.isSigned) return;
    refuseForgery(request, ownOrigin);
    checkJsonShape(request.body);
  });
  server.setNotFoundHandler((request, reply) => refuse(bodies, request, reply, new NotFound()));
  server.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = toProblem(error);
    if (problem.status >= 500) {
      logger.error(`${request.method} ${request.routeOptions.url ?? 'unknown route'} failed`, {
        err: problem.cause ?? problem,
        request_id: request.visitor.requestId,
      });
    }
    return refuse(bodies, request, reply, problem);
  });
  server.get('/health', async () => ({ status: 'ok' }));
  server.options('/api/*', async (_request, reply) => reply.status(204).send());
  proxyRoutes(server, proxies, [...ACCOUNT_ROUTES, ...proxiedRoutes(operations)]);
  creditRoutes(server, calls);
  pageRoutes(server, calls, { apiUrl: options.apiUrl, hasMailbox: options.mailbox !== undefined });
  if (options.mailbox) mailboxRoutes(server, options.mailbox, ownOrigin);
  return server;
}

/** The account's credits, in the dashboard's own form. */
function creditRoutes(server: FastifyInstance, calls: DashboardCalls): void {
  server.get('/api/balance', async (request) =>
    balanceAnswer(await calls.balance(request.visitor)),
  );
  server.get<{ Querystring: { cursor?: string } }>('/api/ledger', async (request) =>
    ledgerAnswer(await calls.ledger(request.visitor, request.query.cursor)),
  );
}

/** A page under another name of this machine would hold a cookie that our forms cannot use. */
function isElsewhere(request: FastifyRequest, ownHost: string): boolean {
  const isPage = request.method === 'GET' && !/^\/(api\/|health$)/.test(request.url);
  return isPage && request.host !== ownHost;
}

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

/** @throws InvalidRequest when a field is there twice: two parsers would not agree on its value. */
function readForm(body: string): Record<string, string> {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (form.has(name)) {
      throw new InvalidRequest([{ field: 'body', message: 'a field must not be sent twice' }]);
    }
    form.set(name, value);
  }
  return Object.fromEntries(form);
}

/** Whether a script or a machine asks, and not a browser that shows a page. */
const isCall = ({ url, routeOptions }: FastifyRequest) =>
  url.startsWith('/api/') || routeOptions.config?.isSigned === true;

/** A refusal as a page, or as the problem answer of a call. */
function refuse(
  bodies: ProblemBodies,
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
): FastifyReply {
  const { requestId } = request.visitor;
  void reply.status(problem.status);
  if (problem.retryAfterSeconds !== undefined) {
    void reply.header('retry-after', String(problem.retryAfterSeconds));
  }
  if (!isCall(request)) {
    return reply.type('text/html; charset=utf-8').send(errorPage(problem, requestId).text);
  }
  return reply
    .type('application/problem+json; charset=utf-8')
    .send(Buffer.from(bodies.render(problem, { requestId, path: request.url }), 'latin1'));
}
