import type { FastifyInstance } from 'fastify';
import { escapeHtml } from '#libs/platform';
import { NothingAtRoot } from './listener.errors.js';

const POLICY = "default-src 'none'; img-src 'self'; frame-ancestors 'none'";
const DOCS = '/docs';

/**
 * For somebody who opens the API's address in a browser: where the dashboard and the documents are. A program is
 * refused, and told where the API is described.
 */
export function addRootPage(app: FastifyInstance, dashboardUrl: string): void {
  app.get('/', async (request, reply) => {
    if (!request.headers.accept?.includes('text/html')) throw new NothingAtRoot(dashboardUrl);
    return reply
      .header('Content-Security-Policy', POLICY)
      .type('text/html; charset=utf-8')
      .send(rootPage(dashboardUrl, app.hasRoute({ method: 'GET', url: DOCS })));
  });
}

function rootPage(dashboardUrl: string, hasDocs: boolean): string {
  const docs = hasDocs
    ? `<li><a href="${DOCS}">The API, operation by operation</a></li>`
    : '<li>The API: docs/api.md of the repository</li>';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Domain Data Service</title>
<h1>Domain Data Service</h1>
<p>This is the address of the API. It answers programs that send a key.</p>
<ul>
${docs}
<li><a href="${escapeHtml(dashboardUrl)}">The dashboard: sign up, keys, credits</a></li>
<li><a href="/health">Whether it is up</a></li>
</ul>
</html>
`;
}
