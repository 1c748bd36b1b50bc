import type { FastifyInstance } from 'fastify';
import { type Health, NotFound } from '#libs/platform';
import type { ErrorPages } from '../problems/error-pages.js';
import { addRootPage } from './root-page.js';

/** Addresses of the API listener that need no key, and what a path to them looks like. */
const PUBLIC_PATHS: Readonly<Record<string, RegExp>> = {
  '/': /^\/$/,
  '/health': /^\/health$/,
  '/errors/:code': /^\/errors\/[a-z0-9_]{1,100}$/,
};

const PAGE_POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'";

/** True for a path that needs no key, whether or not its method is allowed. */
export function isPublicPath(path: string): boolean {
  return Object.values(PUBLIC_PATHS).some((pattern) => pattern.test(path));
}

/** What anybody may read: whether the service is up, and what an error code means. A route beside the table is refused (S86). */
export function addPublicRoutes(
  app: FastifyInstance,
  { pages, health, dashboardUrl }: { pages: ErrorPages; health: Health; dashboardUrl: string },
): void {
  app.addHook('onRoute', ({ url }) => {
    if (!(url in PUBLIC_PATHS)) throw new Error(`${url} is not in the table of public paths`);
  });
  addRootPage(app, dashboardUrl);
  app.get('/health', async (_request, reply) => {
    const { isReady } = await health.readiness();
    return reply.status(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'unavailable' });
  });
  app.get<{ Params: { code: string } }>('/errors/:code', async (request, reply) => {
    const { code } = request.params;
    const wantsHtml = request.headers.accept?.includes('text/html') ?? false;
    const page = wantsHtml ? pages.html(code) : pages.markdown(code);
    if (page === undefined) throw new NotFound();
    return reply
      .header('Content-Security-Policy', PAGE_POLICY)
      .header('Cache-Control', 'public, max-age=3600')
      .type(wantsHtml ? 'text/html; charset=utf-8' : 'text/markdown; charset=utf-8')
      .send(page);
  });
}
