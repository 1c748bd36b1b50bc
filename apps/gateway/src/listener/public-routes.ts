import type { FastifyInstance } from 'fastify';
import { type Health, NotFound } from '#libs/platform';
import type { ErrorPages } from '../problems/error-pages.js';

/** Paths of the API listener that need no key; a further one is written down here or does not exist. */
export const PUBLIC_PATHS: readonly string[] = ['/health', '/errors/:code'];

const PAGE_POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'";

/** What anybody may read: whether the service is up, and what an error code means. */
export function addPublicRoutes(app: FastifyInstance, pages: ErrorPages, health: Health): void {
  app.get('/health', async (_request, reply) => {
    const isReady = (await health.faults()).length === 0;
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
