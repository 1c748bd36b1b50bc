import { type Markup, html } from '#libs/public-http';
import { type PageContext, page } from '../pages/layout.js';

/** Returns the entry for the API in the settings of an MCP client. */
const mcpServer = (apiUrl: string) =>
  JSON.stringify(
    {
      mcpServers: {
        'domain-data': {
          type: 'http',
          url: `${apiUrl}/mcp`,
          headers: { Authorization: 'Bearer YOUR_KEY' },
        },
      },
    },
    undefined,
    2,
  );

export function documentsPage(context: PageContext, apiUrl: string): Markup {
  const link = (path: string, text: string, about: string) =>
    html`<li>
      <a href="${apiUrl}${path}">${text}</a>
      <p class="quiet">${about}</p>
    </li>`;
  return page(context, {
    title: 'Documents',
    body: html`<section>
        <h2>For people</h2>
        <ul class="rows">
          ${link('/docs', 'API reference', 'Every operation with its parameters, price, examples and code.')}
          ${link('/errors', 'Errors', 'Every error code: what it means and what to do.')}
          <li>
            <a href="/prices">Prices</a>
            <p class="quiet">Packages, plans, what each operation costs, and a calculator.</p>
          </li>
          <li>
            <a href="/status">Status</a>
            <p class="quiet">What works right now.</p>
          </li>
        </ul>
      </section>
      <section>
        <h2>For programs</h2>
        <ul class="rows">
          ${link('/openapi.json', 'OpenAPI 3.1', 'Generate a client in any language from it.')}
          ${link('/v2.0/pricing', 'Prices as JSON', 'The current price list.')}
          ${link('/v2.0/files/sample', 'Sample of a database file', 'Up to 10,000 newly registered names as CSV, compressed with gzip. Free, without an account.')}
          ${link('/v2.0/files/status', 'Database files as JSON', 'How up to date each dataset is.')}
          ${link('/v2.0/tlds', 'Top-level domains as JSON', 'The protocol of each top-level domain.')}
        </ul>
      </section>
      <section>
        <h2>For AI agents</h2>
        <p>
          Agents can use every operation with a JSON answer, except those of webhooks and of keys,
          as a tool, at the same prices, through the Model Context Protocol (MCP). Add this server
          to your client, with a key that has only the scopes that the agent needs, and a daily cap:
        </p>
        <pre data-copy="settings"><code>${mcpServer(apiUrl)}</code></pre>
        <ul class="rows">
          ${link('/llms.txt', 'Overview for language models', 'Every operation with its price, as text.')}
        </ul>
      </section>
      <section>
        <h2>Test keys</h2>
        <p>
          Every new account has a test key, which begins with <code>dds_test_</code>. It answers
          sample names such as <code>registered.test</code> and <code>throttled.test</code>, costs
          nothing and queries no registry: build against it first.
        </p>
      </section>`,
  });
}
