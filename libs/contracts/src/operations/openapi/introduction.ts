import { listenerOf } from '../access.js';
import { type Operation, endpointOf } from '../operation.js';

/** The subject of each group of operations, by the first word of their names. */
const GROUPS: Readonly<Record<string, string>> = {
  whois: 'Registration data of domain names: live, in bulk, historical, and by contact.',
  ip: 'Registration data of IP addresses and address blocks.',
  asn: 'Registration data of AS numbers.',
  dns: 'DNS records: live, in bulk, historical, and by value.',
  subdomains: 'Host names below a domain name.',
  domain: 'Availability, look-alikes and reputation of domain names.',
  jobs: 'Background jobs that look up many names and return one file of results.',
  monitors: 'Monitors for domains, brands and registrants, and the events they report.',
  files: 'Database files: new, changed and dropped names by day, and full downloads.',
  webhooks: 'Webhooks, which send events to a URL of yours.',
  uploads: 'Files of names for jobs.',
  account: 'The usage, the limits and the credits of your account.',
  'api-keys':
    'The API keys of your account. They are managed with a key that has the scope `keys:write`.',
  tlds: 'Top-level domains and the protocols they support. No key needed.',
  pricing: 'Packages, plans, rate limits and prices. No key needed.',
};

/** Returns the first word of an operation's name. */
export const groupOf = ({ name }: Operation): string => name.split('.', 1)[0];

/** Returns the groups of operations, each with a line about it, in the order of the table. */
export function groupsOf(
  operations: readonly Operation[],
): { name: string; description?: string }[] {
  const names = [...new Set(operations.map(groupOf))];
  return names.map((name) => ({ name, ...(name in GROUPS && { description: GROUPS[name] }) }));
}

/**
 * Returns the introduction for newcomers to the API, in Markdown.
 * @param origin of the API, without a trailing slash.
 */
export function introduction(operations: readonly Operation[], origin: string): string {
  const error = (code: string) => `[\`${code}\`](${origin}/errors/${code})`;
  return `WHOIS, DNS and availability data of domain names, and WHOIS data of IP addresses and AS numbers, as JSON over
HTTP. Each answer names its sources. A failed lookup costs nothing.

Base URL: \`${origin}\`. To run a lookup example, set \`KEY\` to a test key.

### Authentication

Send your API key as \`X-API-Key: <key>\` or \`Authorization: Bearer <key>\`. The query parameter \`apiKey\` works too,
but proxies and browsers store URLs. You create keys on the dashboard's _Keys_ page; each key is shown only once. A
request without a key returns 401 ${error('missing_api_key')}. You can restrict a key to scopes (403 ${error('scope_denied')}), to
IP addresses, and to a daily credit cap.

### Credits and prices

The description of each operation states its price. You pay for an **answer**, and "not registered" is an answer. These
are free:

- every error response;
- lookups that the registry did not answer;
- a repeat of the same \`GET\` within 60 seconds, without \`fresh=true\` or \`sug=true\`;
- requests with a test key.

\`X-Credits-Cost\` is the cost of a response, and \`X-Credits-Remaining\` is your balance. Set \`max_credits\` to reject a
request that could cost more. Trial credits and returned credits are used first, then credits from support, from a
plan, and from packages. If your balance is too low, the request returns 402 ${error('insufficient_credits')}.
\`GET /v2.0/pricing\` lists packages, plans and prices.

### Rate limits

Limits apply per account and class (\`live\`, \`bulk\`, \`heavy\`, \`account\`) to any period of 60 seconds. Operations without
a key are limited per IP address. \`RateLimit-Policy\` states the limit; \`RateLimit\` states how many
requests remain, and for how many seconds. A request over the limit returns 429 ${error('rate_limited')}; \`Retry-After\` is the time to wait in seconds.

### Errors

Errors are \`application/problem+json\` (RFC 9457). \`code\` is stable, for use in programs. \`type\` links to a page that
explains the error and what to do. \`errors\` lists the invalid parameters and members of the body. \`retryable\` says
whether the same request may succeed later. A stream (\`application/x-ndjson\`) whose last line has no \`summary\` is
incomplete; only the items that were sent are charged. Quote \`request_id\` (also in \`X-Request-Id\`) when you contact support.

### Idempotency

Every \`POST\` and \`PATCH\`, except an upload, accepts an \`Idempotency-Key\` header of your choice. For 24 hours, the same
request with the same key returns the first answer, free of charge. Secrets are shown only once: the repeated answer to a
request that created a key or a webhook lacks them.

### Test keys and fixtures

A test key (\`dds_test_…\`) works only with these fixtures. They are the same on every installation, cost nothing and need
no internet access. They also work in bulk requests. Any other value returns 422 ${error('test_key_fixture_only')}.

${fixtureTable(operations)}

### Paging

Every list with pages has the same \`paging\` object. To get the next page, follow \`Link: <…>; rel="next"\` (the URL does not contain
your key), or send \`paging.next_cursor\` as \`cursor\` and leave the other parameters unchanged. Searches also accept
\`page\`, up to 100. \`mode=preview\` counts the records and returns the price of reading them, free of charge. A page is
charged only if it contains records. \`coverage\` says which data was searched. \`max_credits\` rejects a page that costs
more.

### Versions

Use version 2 (\`/v2.0/…\`). Version 1 has the format of older services; its responses carry \`Deprecation\`, and a \`Link\` to
the successor. Members, and further words of those that contain one of several words, may be added to the answers of
either version at any time, so ignore what you do not know.`;
}

function fixtureTable(operations: readonly Operation[]): string {
  const rows = operations
    .filter((row) => listenerOf(row) === 'api')
    .flatMap((row) =>
      (row.fixtures ?? []).map(
        ({ value, answers }) => `| \`${endpointOf(row)}\` | \`${value}\` | ${answers} |`,
      ),
    );
  return ['| operation | value | answer |', '| --- | --- | --- |', ...rows].join('\n');
}
