import { type Operation, endpointOf, groupOf, groupsOf, priceSentence } from '#libs/contracts';
import { MCP_PATH } from '../mcp/mcp-tools.js';
import type { Origins } from './reference-page.js';

/** Returns the overview of the API for language models, in the format of https://llmstxt.org. */
export function overviewOf(operations: readonly Operation[], origins: Origins): string {
  const { apiUrl, dashboardUrl } = origins;
  const groups = groupsOf(operations).map(({ name, description = '' }) => {
    const rows = operations.filter((row) => groupOf(row) === name).map(lineOf);
    return [`### ${name}`, description, rows.join('\n')].filter(Boolean).join('\n\n');
  });
  return `# Domain Data Service

> An API for data about domain names and networks: WHOIS and DNS, live and historical, searches, availability,
> reputation, monitors and database files, as JSON. Each answer names its sources. A failed lookup costs nothing.

Send an API key as \`Authorization: Bearer <key>\` to ${apiUrl}. Keys are created on the dashboard.

- [API description](${apiUrl}/openapi.json): OpenAPI 3.1, with every parameter, answer, price and error
- [API reference](${apiUrl}/docs): the same for people, with examples
- [MCP](${apiUrl}${MCP_PATH}): the operations as tools for agents (streamable HTTP)
- [Errors](${apiUrl}/errors): what each error code means and what to do
- [Dashboard](${dashboardUrl}/): accounts, keys, credits

## Operations

${groups.join('\n\n')}
`;
}

const lineOf = (row: Operation): string =>
  `- \`${endpointOf(row)}\`: ${row.summary}. ${priceSentence(row)}`;

/** The media type of an API catalogue (RFC 9727 §4). */
export const CATALOG_TYPE =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** Returns the API catalogue (RFC 9727), a set of links to the descriptions of the API (RFC 9264, RFC 8631). */
export function catalogOf({ apiUrl }: Origins): object {
  const link = (path: string, type: string) => [{ href: apiUrl + path, type }];
  return {
    linkset: [
      {
        anchor: apiUrl,
        'service-desc': link('/openapi.json', 'application/json'),
        'service-doc': link('/docs', 'text/html'),
        'service-meta': link('/llms.txt', 'text/plain'),
        status: link('/health', 'application/json'),
      },
    ],
  };
}
