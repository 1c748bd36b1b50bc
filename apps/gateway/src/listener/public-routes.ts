import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Health, NotFound } from '#libs/platform';
import { ICON, ICON_TYPE } from '#libs/public-http';
import type { ErrorPages } from '../problems/error-pages.js';
import { type ApiDocs, DOCS_POLICY } from './api-docs.js';
import { addRootPage } from './root-page.js';

/** Addresses of the API listener that need no key, and what a path to them looks like. */
const PUBLIC_PATHS: Readonly<Record<string, RegExp>> = {
  '/': /^\/$/,
  '/health': /^\/health$/,
  '/favicon.ico': /^\/favicon\.ico$/,
  '/errors/:code': /^\/errors\/[a-z0-9_]{1,100}$/,
  '/openapi.json': /^\/openapi\.json$/,
  '/docs': /^\/docs$/,
  '/docs/:file': /^\/docs\/[a-z.-]{1,40}$/,
};

export interface PublicParts {
  pages: ErrorPages;
  docs: ApiDocs;
  health: Health;
  /** Public origin, to which the page at `/` leads. */
  dashboardUrl: string;
}

const CACHED = 'public, max-age=3600';
const PAGE_POLICY = "default-src 'none'; img-src 'self'; frame-ancestors 'none'";

/** True for a path that needs no key, whether or not its method is allowed. */
export function isPublicPath(path: string): boolean {
  return Object.values(PUBLIC_PATHS).some((pattern) => pattern.test(path));
}

/** What anybody may read: whether the service is up, what an error code means, the API's reference. A route beside the table is refused (S86). */
export function addPublicRoutes(
  app: FastifyInstance,
  { pages, docs, health, dashboardUrl }: PublicParts,
): void {
  app.addHook('onRoute', ({ url }) => {
    if (!(url in PUBLIC_PATHS)) throw new Error(`${url} is not in the table of public paths`);
  });
  addRootPage(app, dashboardUrl);
  app.get('/health', async (_request, reply) => {
    const { isReady } = await health.readiness();
    return reply.status(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'unavailable' });
  });
  app.get('/favicon.ico', async (_request, reply) =>
    reply.header('Cache-Control', CACHED).type(ICON_TYPE).send(ICON),
  );
  app.get<{ Params: { code: string } }>('/errors/:code', async (request, reply) => {
    const { code } = request.params;
    const wantsHtml = request.headers.accept?.includes('text/html') ?? false;
    const page = wantsHtml ? pages.html(code) : pages.markdown(code);
    if (page === undefined) throw new NotFound();
    return reply
      .header('Content-Security-Policy', PAGE_POLICY)
      .header('Cache-Control', CACHED)
      .type(wantsHtml ? 'text/html; charset=utf-8' : 'text/markdown; charset=utf-8')
      .send(page);
  });
  app.get('/openapi.json', async (_request, reply) =>
    reply
      .header('Cache-Control', CACHED)
      .type('application/json; charset=utf-8')
      .send(docs.description),
  );
  const sendFile = (reply: FastifyReply, name: string) => {
    const file = docs.file(name);
    if (file === undefined) throw new NotFound();
    return reply
      .header('Content-Security-Policy', DOCS_POLICY)
      .header('Cache-Control', CACHED)
      .type(file.type)
      .send(file.body);
  };
  app.get('/docs', async (_request, reply) => sendFile(reply, ''));
  app.get<{ Params: { file: string } }>('/docs/:file', async ({ params }, reply) =>
    sendFile(reply, params.file),
  );
}
