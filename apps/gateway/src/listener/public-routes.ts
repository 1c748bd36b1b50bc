import type { BlockList } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Health, NotFound, siteOf } from '#libs/platform';
import { ICON, ICON_TYPE, STYLESHEET, SiteTurns } from '#libs/public-http';
import { clientAddress } from '../context/client-address.js';
import type { ApiDocs, ApiDocument } from '../reference/api-docs.js';
import { PAGE_POLICY, SCRIPT_PATH, STYLES_PATH } from '../reference/api-page.js';
import type { ErrorPages } from '../reference/error-pages.js';
import { REFERENCE_SCRIPT } from '../reference/reference-script.js';
import { rootPage } from '../reference/root-page.js';
import { NothingAtRoot } from './listener.errors.js';

/** The paths of the API listener that need no key and belong to no operation, as patterns. */
const PUBLIC_PATHS: Readonly<Record<string, RegExp>> = {
  '/': /^\/$/,
  '/health': /^\/health$/,
  '/favicon.ico': /^\/favicon\.ico$/,
  '/errors': /^\/errors$/,
  '/errors/:code': /^\/errors\/[a-z0-9_]{1,100}$/,
  '/openapi.json': /^\/openapi\.json$/,
  '/docs': /^\/docs$/,
  [STYLES_PATH]: /^\/assets\/pages\.css$/,
  [SCRIPT_PATH]: /^\/assets\/reference\.js$/,
};

export interface PublicParts {
  pages: ErrorPages;
  docs: ApiDocs;
  health: Health;
  dashboardUrl: string;
  trustedProxies: BlockList;
}

const CACHED = 'public, max-age=3600';
/**
 * The headers of pages that programs get in another form. Otherwise, a cache would give one client the other's form.
 */
const BY_ACCEPT = { 'Cache-Control': CACHED, Vary: 'Accept' };

/** True for one of these paths, whether or not the method is allowed. */
export function isPublicPath(path: string): boolean {
  return Object.values(PUBLIC_PATHS).some((pattern) => pattern.test(path));
}

/**
 * Adds the routes that need no key: the start page, health, error pages, the API reference, and their style sheet,
 * script and icon. Requests of one site take turns. A route that is missing from the table is rejected (S86).
 */
export function addPublicRoutes(
  app: FastifyInstance,
  { pages, docs, health, dashboardUrl, trustedProxies }: PublicParts,
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
}

const wantsHtml = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false;

function sendPage(reply: FastifyReply, page: string): FastifyReply {
  return reply
    .header('Content-Security-Policy', PAGE_POLICY)
    .headers(BY_ACCEPT)
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
    .header('Cache-Control', CACHED)
    .header('Vary', 'Accept-Encoding')
    .type(type)
    .send(isCompressed ? gzip : plain);
}
