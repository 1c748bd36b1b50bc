import type { BlockList } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Health, NotFound, siteOf } from '#libs/platform';
import { ICON, ICON_TYPE, STYLESHEET, SiteTurns } from '#libs/public-http';
import { clientAddress } from '../context/client-address.js';
import type { McpEndpoint } from '../mcp/mcp-endpoint.js';
import { MCP_PATH } from '../mcp/mcp-tools.js';
import type { ApiDocs, ApiDocument } from '../reference/api-docs.js';
import { PAGE_POLICY, SCRIPT_PATH, STYLES_PATH } from '../reference/api-page.js';
import type { ErrorPages } from '../reference/error-pages.js';
import { REFERENCE_SCRIPT } from '../reference/reference-script.js';
import { rootPage } from '../reference/root-page.js';
import { NothingAtRoot } from './listener.errors.js';

/** The paths of the API listener that belong to no operation, as patterns. */
const PUBLIC_PATHS: Readonly<Record<string, RegExp>> = {
  '/': /^\/$/,
  '/health': /^\/health$/,
  '/favicon.ico': /^\/favicon\.ico$/,
  '/errors': /^\/errors$/,
  '/errors/:code': /^\/errors\/[a-z0-9_]{1,100}$/,
  '/openapi.json': /^\/openapi\.json$/,
  '/llms.txt': /^\/llms\.txt$/,
  '/.well-known/api-catalog': /^\/\.well-known\/api-catalog$/,
  '/.well-known/security.txt': /^\/\.well-known\/security\.txt$/,
  [MCP_PATH]: /^\/mcp$/,
  '/docs': /^\/docs$/,
  [STYLES_PATH]: /^\/assets\/pages\.css$/,
  [SCRIPT_PATH]: /^\/assets\/reference\.js$/,
};

export interface PublicParts {
  pages: ErrorPages;
  docs: ApiDocs;
  health: Health;
  mcp: McpEndpoint;
  /** The public origin of the dashboard; the page at `/` links to it. */
  dashboardUrl: string;
  trustedProxies: BlockList;
}

const CACHED = 'public, max-age=3600';
/** Pages of other origins can neither keep a handle on our windows nor embed our pages (S115). */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
/**
 * The headers of pages that programs get in another form. Without these headers, a cache could give one client the
 * other's form.
 */
const BY_ACCEPT = { 'Cache-Control': CACHED, Vary: 'Accept' };

/** Returns the methods that one of these paths allows, for the header `Allow`; undefined for another path. */
export function allowedAt(path: string): string | undefined {
  if (path === MCP_PATH) return 'POST, OPTIONS';
  const isKnown = Object.values(PUBLIC_PATHS).some((pattern) => pattern.test(path));
  return isKnown ? 'GET, HEAD, OPTIONS' : undefined;
}

/**
 * Adds the routes beside the operations: the start page, health, error pages, the API reference with its style sheet,
 * script and icon, descriptions for programs, and MCP. Requests from one site take turns. A route that is missing from
 * the table is rejected (S86).
 */
export function addPublicRoutes(
  app: FastifyInstance,
  { pages, docs, health, mcp, dashboardUrl, trustedProxies }: PublicParts,
): void {
  const turns = new SiteTurns();
  app.addHook('onRequest', ({ raw }, reply, done) =>
    turns.begin(siteOf(clientAddress(raw, trustedProxies)), reply.raw, done),
  );
  app.addHook('onRoute', ({ url }) => {
    if (!(url in PUBLIC_PATHS)) throw new Error(`${url} is not in the table of public paths`);
  });
  app.get('/', async (request, reply) => {
    if (!wantsHtml(request)) throw new NothingAtRoot(dashboardUrl);
    return sendPage(reply, rootPage(dashboardUrl));
  });
  app.get('/health', async (_request, reply) => {
    const { isReady } = await health.readiness();
    return reply.status(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'unavailable' });
  });
  app.get('/favicon.ico', async (_request, reply) =>
    reply.header('Cache-Control', CACHED).type(ICON_TYPE).send(ICON),
  );
  app.get(STYLES_PATH, async (_request, reply) =>
    reply.header('Cache-Control', CACHED).type('text/css; charset=utf-8').send(STYLESHEET),
  );
  app.get(SCRIPT_PATH, async (_request, reply) =>
    reply
      .header('Cache-Control', CACHED)
      .type('text/javascript; charset=utf-8')
      .send(REFERENCE_SCRIPT),
  );
  app.get('/errors', async (_request, reply) => sendPage(reply, pages.list(dashboardUrl)));
  app.get<{ Params: { code: string } }>('/errors/:code', async (request, reply) => {
    const { code } = request.params;
    const isForBrowser = wantsHtml(request);
    const page = isForBrowser ? pages.html(code, dashboardUrl) : pages.markdown(code);
    if (page === undefined) throw new NotFound();
    if (isForBrowser) return sendPage(reply, page);
    return reply.headers(BY_ACCEPT).type('text/markdown; charset=utf-8').send(page);
  });
  app.get('/openapi.json', async (request, reply) => sendWhole(request, reply, docs.description));
  app.get('/docs', async (request, reply) => sendWhole(request, reply, docs.reference));
  app.get('/llms.txt', async (request, reply) => sendWhole(request, reply, docs.overview));
  app.get('/.well-known/api-catalog', async (request, reply) => {
    void reply.header('Link', '</.well-known/api-catalog>; rel="api-catalog"');
    return sendWhole(request, reply, docs.catalog);
  });
  app.get('/.well-known/security.txt', async (_request, reply) =>
    reply.redirect(new URL('/.well-known/security.txt', dashboardUrl).href),
  );
  void app.register(async (scope) => addMcp(scope, mcp));
}

/** Adds MCP. It reads the body of its requests itself, as operations do, because strangers may send them. */
function addMcp(app: FastifyInstance, mcp: McpEndpoint): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.post(MCP_PATH, async (request, reply) => {
    const { status, type, text } = await mcp.answer(request.raw, reply.raw);
    if (type !== undefined) void reply.type(type);
    return reply.status(status).send(text);
  });
}

const wantsHtml = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false;

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply
    .header('Content-Security-Policy', PAGE_POLICY)
    .headers({ ...ISOLATION, ...BY_ACCEPT })
    .type('text/html; charset=utf-8')
    .send(page);
}

function sendWhole(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, policy, plain, gzip }: ApiDocument,
): FastifyReply {
  const isCompressed = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:$|,))/.test(
    headers['accept-encoding'] ?? '',
  );
  if (isCompressed) void reply.header('Content-Encoding', 'gzip');
  return reply
    .header('Content-Security-Policy', policy)
    .headers({ ...ISOLATION, 'Cache-Control': CACHED, Vary: 'Accept-Encoding' })
    .type(type)
    .send(isCompressed ? gzip : plain);
}
