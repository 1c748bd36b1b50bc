import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  createServer,
} from 'node:http';
import type { AddressInfo, BlockList, Socket } from 'node:net';
import { fastify, type FastifyInstance } from 'fastify';
import { type Operation, TUS_REQUEST_HEADERS } from '#libs/contracts';
import {
  type Clock,
  ExpectationFailed,
  InvalidRequest,
  JSON_BODY_LIMIT_BYTES,
  type Logger,
  MalformedRequest,
  NotFound,
  OpenConnections,
  PayloadTooLarge,
  type Problem,
  hasOneHost,
  toProblem,
} from '#libs/platform';
import {
  AcceptQueues,
  HEADERS_MAX_BYTES,
  MethodNotAllowed,
  type ProblemBodies,
  type RawAnswers,
  STRICT_TRANSPORT_SECURITY,
  URI_MAX_BYTES,
  UnexpectedBody,
  UriTooLong,
  answerParserError,
  endWith,
  hasTransfer,
  headerLines,
  newRequestId,
} from '#libs/public-http';
import { PlainConnections } from '../connection/plain-connections.js';
import { ApiResponse, endLate, isOnItsWay } from '../context/api-response.js';
import type { ApiPath, ApiPaths } from '../routes/api-paths.js';
import type { ApiRoute } from '../routes/api-route.js';
import type { ApiRequest, Reply } from '../context/request-context.js';
import { BASE_HEADERS } from '../answers/answer-lines.js';
import { isAsking } from '../context/open-requests.js';
import { ApiDocs } from '../reference/api-docs.js';
import { type PublicParts, addPublicRoutes, allowedAt } from './public-routes.js';
import type { RequestPath } from '../request/request-path.js';

export interface ApiListenerOptions extends Pick<
  PublicParts,
  'pages' | 'health' | 'mcp' | 'dashboardUrl'
> {
  host: string;
  port: number;
  origin: string;
  /** Whether other gateways on this machine may listen on the same port. */
  reusePort?: boolean;
  /** Whether plain requests bypass Node's HTTP server (`docs/decisions/0016-plain-connections.md`). */
  plainConnections: boolean;
  paths: ApiPaths;
  requestPath: RequestPath;
  bodies: ProblemBodies;
  clock: Clock;
  logger: Logger;
  limits: SocketLimits;
}

/** The limits on connections: counts, and times in milliseconds. */
export interface SocketLimits {
  headersTimeoutMs: number;
  requestTimeoutMs: number;
  keepAliveTimeoutMs: number;
  /** The longest wait for lookup, during which a connection may carry no data. */
  lookupTimeoutMs: number;
  connectionsMax: number;
  /** Maximum number of connections of one network, unless it is a trusted proxy. */
  peerConnectionsMax: number;
  trustedProxies: BlockList;
}

const PREFLIGHT_SECONDS = '86400';
const API_HEADERS = [
  'authorization, x-api-key, content-type, idempotency-key',
  'range, if-range, if-none-match, if-modified-since',
  'mcp-protocol-version, mcp-method, mcp-name, last-event-id',
  ...TUS_REQUEST_HEADERS,
].join(', ');

const uriTooLong = new UriTooLong(URI_MAX_BYTES);
const hostFault = new MalformedRequest(' It needs exactly one Host header that names a host.');
const pathFault = new InvalidRequest([{ field: 'path', message: 'is not a valid path' }]);
const unexpectedBody = new UnexpectedBody();
/** The rejection of CONNECT: the gateway does not tunnel to other hosts. */
const noTunnel = new MethodNotAllowed('GET, POST, OPTIONS');

/**
 * The public API's listener. Our own code reads a connection as long as it carries only plain requests for operations;
 * the first other request hands the connection to Node. Node's listener recognises operations by their paths before
 * Fastify sees them, because a router and its hooks cost more than all the checks. Fastify does the rest.
 */
export class ApiListener {
  private server: Server;
  private app: FastifyInstance;
  private plain: PlainConnections;
  private queues: AcceptQueues;
  private isDraining = false;
  private readonly rawAnswers: RawAnswers;

  constructor(private readonly options: ApiListenerOptions) {
    const lines = headerLines([...BASE_HEADERS, 'X-Credits-Cost', '0']);
    this.rawAnswers = { bodies: options.bodies, headerLines: lines, isAsking };
  }

  /** Starts to accept connections. @returns `http://host:port`, its own origin. @throws if the port is taken. */
  async start(): Promise<string> {
    const { host, port, reusePort, paths, origin, limits } = this.options;
    this.app = fastify({
      serverFactory: (handler) => this.createServer(handler as RequestListener),
      bodyLimit: JSON_BODY_LIMIT_BYTES,
      routerOptions: { maxParamLength: 100 },
      forceCloseConnections: false,
      return503OnClosing: false,
      // Fastify's own answer to a path that it cannot decode repeats the whole URL, including a key (S9).
      frameworkErrors: (_error, request, reply) => {
        reply.hijack();
        this.sendProblem(request.raw, reply.raw, pathFault);
      },
      clientErrorHandler: (error, socket) => answerParserError(error, socket, this.rawAnswers),
    });
    this.app.addHook('onRequest', (_request, reply, done) => {
      for (let i = 0; i < BASE_HEADERS.length; i += 2) {
        void reply.header(BASE_HEADERS[i], BASE_HEADERS[i + 1]);
      }
      // A browser opens a page first, and other clients ignore this header, so answers of operations do not have it.
      if (origin.startsWith('https:'))
        void reply.header('Strict-Transport-Security', STRICT_TRANSPORT_SECURITY);
      if (this.isDraining) void reply.header('Connection', 'close');
      done();
    });
    this.app.setErrorHandler((error, request, reply) => {
      reply.hijack();
      this.sendProblem(request.raw, reply.raw, toProblem(error));
    });
    this.app.setNotFoundHandler((request, reply) => {
      reply.hijack();
      this.answerUnknown(request.raw, reply.raw);
    });
    const { dashboardUrl } = this.options;
    const docs = ApiDocs.of(paths.operations, {
      apiUrl: origin.replace(/\/$/, ''),
      dashboardUrl,
    });
    addPublicRoutes(this.app, { ...this.options, docs, trustedProxies: limits.trustedProxies });
    this.queues = new AcceptQueues({ host, port, reusePort, backlog: 4_096 });
    await this.app.listen(this.queues.options);
    await this.queues.open(this.server);
    const { port: bound } = this.server.address() as AddressInfo;
    return `http://${host}:${bound}`;
  }

  /** From now on, every answer asks its client to close the connection and reconnect elsewhere. */
  drain(): void {
    this.isDraining = this.plain.isDraining = true;
  }

  /** Stops accepting connections. Resolves when all are closed. After `maxMs`, those that Node serves are cut off. */
  async close(maxMs: number): Promise<void> {
    this.plain.closeIdle();
    this.server.closeIdleConnections();
    await Promise.all([this.queues.close(maxMs), this.app.close()]);
  }

  get isSending(): boolean {
    return this.plain.isSending;
  }

  /** Closes the remaining connections, even those with unanswered requests. */
  closeAll(): void {
    this.plain.closeAll();
    this.server.closeAllConnections();
  }

  private createServer(handler: RequestListener): Server {
    const { limits } = this.options;
    const server = createServer(
      {
        ServerResponse: ApiResponse,
        maxHeaderSize: HEADERS_MAX_BYTES,
        // `take` checks the Host header, so that the answer is a problem document.
        requireHostHeader: false,
        headersTimeout: limits.headersTimeoutMs,
        requestTimeout: limits.requestTimeoutMs,
        keepAliveTimeout: limits.keepAliveTimeoutMs,
        connectionsCheckingInterval: Math.min(5_000, limits.headersTimeoutMs),
        noDelay: true,
        optimizeEmptyRequests: true,
      },
      (request, response) => this.take(request, response, handler),
    );
    // Nothing else disconnects a client that sends requests but does not read the answers.
    server.timeout = limits.lookupTimeoutMs + limits.keepAliveTimeoutMs;
    server.on('checkContinue', (request: IncomingMessage, response: ApiResponse) => {
      // Without this handler, the client would be invited to send even a body that is rejected.
      response.isAwaited = true;
      this.take(request, response, handler);
    });
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
      this.sendProblem(request, response, new ExpectationFailed()),
    );
    server.on('connect', (_request, socket) => endWith(socket, noTunnel, this.rawAnswers));
    const plain = this.takePlainConnections(server);
    this.plain = plain;
    new OpenConnections({
      connectionsMax: limits.connectionsMax,
      ofPeerMax: limits.peerConnectionsMax,
      trustedProxies: limits.trustedProxies,
      idleMs: (socket) => (hasTransfer(socket) ? -1 : plain.idleMs(socket)),
    }).watch(server);
    this.server = server;
    return server;
  }

  /**
   * Makes our own code read connections first, unless that is switched off. Node's server gets the connections that are
   * handed over.
   */
  private takePlainConnections(server: Server): PlainConnections {
    const { limits, clock } = this.options;
    const [nodeListener] = server.listeners('connection') as ((socket: Socket) => void)[];
    const plain = new PlainConnections({
      clock,
      firstRequestTimeoutMs: limits.headersTimeoutMs,
      keepAliveTimeoutMs: limits.keepAliveTimeoutMs,
      take: (request, reply, target) => this.takePlain(request, reply, target),
      handOver: (socket, packet) => {
        nodeListener.call(server, socket);
        socket.emit('data', packet);
      },
    });
    if (!this.options.plainConnections) return plain;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => plain.add(socket));
    return plain;
  }

  private takePlain(request: ApiRequest, reply: Reply, target: string): boolean {
    const mark = target.indexOf('?');
    const path = mark === -1 ? target : target.slice(0, mark);
    const exact = this.options.paths.find(path);
    const match = exact === undefined ? this.options.paths.match(path) : undefined;
    const route = (exact ?? match?.entry)?.get;
    if (route === undefined || !route.isPlain) return false;
    const query = mark === -1 ? '' : target.slice(mark + 1);
    this.options.requestPath.handle(request, reply, route, query, match);
    return true;
  }

  private take(request: IncomingMessage, response: ApiResponse, handler: RequestListener): void {
    if (!hasOneHost(request.rawHeaders)) {
      response.shouldKeepAlive = false;
      return this.sendProblem(request, response, hostFault);
    }
    const url = request.url!;
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const exact = this.options.paths.find(path);
    const match = exact === undefined ? this.options.paths.match(path) : undefined;
    const entry = exact ?? match?.entry;
    if (entry === undefined) return this.takeOther(request, response, handler);
    if (this.isDraining) response.shouldKeepAlive = false;
    const refusal = this.refusalOf(request, entry);
    if (refusal) return this.sendRefusal(request, response, refusal, entry);
    if (request.method === 'OPTIONS') {
      return sendPreflight(response, entry.allow, entry.options);
    }
    const query = mark === -1 ? '' : url.slice(mark + 1);
    const route = entry.routes.get(request.method!)!;
    response.hasRequestBody = takesBody(route.operation);
    this.options.requestPath.handle(request, response, route, query, match);
  }

  private takeOther(request: IncomingMessage, response: ApiResponse, handler: RequestListener) {
    if (request.url!.length > URI_MAX_BYTES) this.sendProblem(request, response, uriTooLong);
    else {
      response.invite();
      handler(request, response);
    }
  }

  private refusalOf(request: IncomingMessage, { routes, allow }: ApiPath): Problem | undefined {
    const { method, url, rawHeaders } = request;
    if (url!.length > URI_MAX_BYTES) return uriTooLong;
    if (method !== 'OPTIONS' && !routes.has(method!)) return new MethodNotAllowed(allow);
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const { length } = rawHeaders[i];
      // Only `content-length` (14 characters) and `transfer-encoding` (17) matter.
      if (length === 14 || length === 17) return bodyRefusal(request, routes.get(method!));
    }
    return undefined;
  }

  /** Sends a problem. The request's body is not read, and the connection closes after the answer. */
  private sendRefusal(
    request: IncomingMessage,
    response: ServerResponse,
    refusal: Problem,
    { routes }: ApiPath,
  ): void {
    response.shouldKeepAlive = false;
    const [{ versionHeaders }] = routes.values();
    for (let i = 0; i < versionHeaders.length; i += 2) {
      response.setHeader(versionHeaders[i], versionHeaders[i + 1]);
    }
    this.sendProblem(request, response, refusal);
  }

  private answerUnknown(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url!.split('?', 1)[0];
    const allow = allowedAt(path);
    if (allow === undefined) this.sendProblem(request, response, this.nothingAt(path));
    else if (request.method === 'OPTIONS') sendPreflight(response, allow);
    else this.sendProblem(request, response, new MethodNotAllowed(allow));
  }

  /**
   * Returns the problem for an unknown path. Its text names only paths of the API and repeats nothing from the request
   * (S9).
   */
  private nothingAt(path: string): Problem {
    const nearest = this.options.paths.nearest(path);
    const hint = nearest
      ? `Did you mean ${nearest}?`
      : '/docs and /openapi.json list all operations.';
    return new NotFound(`Nothing was found at this address. ${hint}`);
  }

  private sendProblem(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
    const { bodies, logger } = this.options;
    const requestId = newRequestId();
    if (problem.status >= 500) {
      const fields = { err: problem.cause ?? problem, request_id: requestId };
      if (problem.isOfLoad) logger.sparsely('error', problem.message, 'a request failed', fields);
      else logger.error('a request failed', fields);
    }
    const body = bodies.render(problem, { requestId, path: request.url! });
    for (let i = 0; i < BASE_HEADERS.length; i += 2) {
      response.setHeader(BASE_HEADERS[i], BASE_HEADERS[i + 1]);
    }
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('X-Credits-Cost', '0');
    if (problem instanceof MethodNotAllowed) response.setHeader('Allow', problem.allow);
    if (problem.retryAfterSeconds !== undefined) {
      response.setHeader('Retry-After', String(problem.retryAfterSeconds));
    }
    response.writeHead(problem.status, {
      'Content-Type': 'application/problem+json',
      'Content-Length': body.length,
    });
    if (request.method === 'HEAD') response.end();
    else if (isOnItsWay(request)) endLate(response, body);
    else response.end(body, 'latin1');
  }
}

/** Rejects a body that the operation does not accept, or that is too large, before the body is read. */
function bodyRefusal({ headers }: IncomingMessage, route?: ApiRoute): Problem | undefined {
  const length = headers['content-length'];
  const limitBytes = route?.limits.bodyBytes ?? JSON_BODY_LIMIT_BYTES;
  if (length !== undefined && Number(length) > limitBytes) return new PayloadTooLarge();
  if (route !== undefined && takesBody(route.operation)) return undefined;
  const isEmpty = length === undefined || Number(length) === 0;
  return isEmpty && headers['transfer-encoding'] === undefined ? undefined : unexpectedBody;
}

const takesBody = ({ body, upload }: Operation) =>
  body !== undefined || (upload?.types.length ?? 0) > 0;

/** Answers a preflight request. Any web page may call the API with a key, because the API ignores cookies (S30). */
function sendPreflight(
  response: ServerResponse,
  methods: string,
  further: readonly string[] = [],
): void {
  response.writeHead(204, [
    ...BASE_HEADERS,
    ...further,
    'Access-Control-Allow-Methods',
    methods,
    'Access-Control-Allow-Headers',
    API_HEADERS,
    'Access-Control-Max-Age',
    PREFLIGHT_SECONDS,
  ]);
  response.end();
}
