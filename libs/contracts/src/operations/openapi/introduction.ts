import { listenerOf } from '../access.js';
import type { Operation } from '../operation.js';

/** What each group of operations is about, by the first word of their names. */
const GROUPS: Readonly<Record<string, string>> = {
  whois: 'Registration data of domain names: live, in bulk, over time, and by contact.',
  ip: 'Registration data of IP addresses and blocks.',
  asn: 'Registration data of AS numbers.',
  dns: 'DNS records: live, in bulk, over time, and by where they point.',
  subdomains: 'Host names below a domain name.',
  domain: 'Whether a name is available, with suggestions, single and in bulk.',
  jobs: 'Jobs over many names, with one file of results.',
  monitors: 'Domains, brands and registrants that are watched, and what was found.',
  files: 'Database files: new, changed and dropped names by day, and full downloads.',
  webhooks: 'Addresses of yours that are told what happens.',
  uploads: 'Files of names for jobs.',
  account: 'What your account used, and its credits.',
  tlds: 'Top-level domains and what each supports. No key needed.',
  pricing: 'Packages, plans, limits and prices. No key needed.',
};

/** The first word of an operation's name. */
export const groupOf = ({ name }: Operation): string => name.split('.', 1)[0];

/** Groups of the operations with a line about each, in the order of the table. */
export function groupsOf(
  operations: readonly Operation[],
): { name: string; description?: string }[] {
  const names = [...new Set(operations.map(groupOf))];
  return names.map((name) => ({ name, ...(name in GROUPS && { description: GROUPS[name] }) }));
}

/**
 * What a newcomer to the API reads first, in Markdown.
 * @param origin of the API, without a slash at its end.
 */
export function introduction(operations: readonly Operation[], origin: string): string {
  const error = (code: string) => `[\`${code}\`](${origin}/errors/${code})`;
  return `WHOIS, DNS and availability of domain names, and WHOIS of IP addresses and AS numbers, as JSON over HTTP. Each
answer names its sources. A failed lookup costs nothing.

Base URL: \`${origin}\`. Each lookup example works once \`KEY\` is set to a test key.

### Authentication

Send your API key as \`X-API-Key: <key>\` or \`Authorization: Bearer <key>\`. The query parameter \`apiKey\` works too,
but proxies and browsers store URLs. Keys are made on the dashboard's page _Keys_ and shown once. Without a key: 401
${error('missing_api_key')}. A key can be limited to scopes (403 ${error('scope_denied')}), IP addresses and a daily cap.

### Credits and prices

Each operation names its price. You pay for an **answer**, also for the answer "not registered". These are free: every
error response, lookups that the registry did not answer, a repeat of the same \`GET\` within 60 seconds (without
\`fresh=true\` or \`sug=true\`), and everything a test key asks. \`X-Credits-Cost\` is what a response cost, \`X-Credits-Remaining\` your balance. \`max_credits\` refuses a
request that could cost more. Without enough credits: 402 ${error('insufficient_credits')}. \`GET /v2.0/pricing\` lists
packages, plans and prices.

### Rate limits

Limits count per account and class (\`live\`, \`bulk\`, \`account\`) over any 60 seconds; operations without a key count
by IP address. \`RateLimit-Policy\` is the limit, \`RateLimit\` what remains of it and for how many seconds. Over the limit:
429 ${error('rate_limited')} with \`Retry-After\` in seconds.

### Errors

Errors are \`application/problem+json\` (RFC 9457). \`code\` is stable and meant for programs; \`type\` links to a page that
says what happened and what to do; \`errors\` names the wrong parameters; \`retryable\` says whether the same request may
succeed later. Quote \`request_id\` (also in \`X-Request-Id\`) when you ask for help.

### Idempotency

A \`POST\` takes an \`Idempotency-Key\` header of your choice. For 24 hours a repeat with the same key and body returns the
first answer, free of charge.

### Test keys and fixtures

A test key (\`dds_test_…\`) answers only these, the same on every installation, free and without internet access; anything
else is 422 ${error('test_key_fixture_only')}. They work in bulk requests too.

${fixtureTable(operations)}

### Paging

Every list has the same \`paging\`. \`Link: <…>; rel="next"\` leads to the next page, without your key; or send
\`paging.next_cursor\` back as \`cursor\`, with the other parameters unchanged. Searches take \`page\` too, up to 100, and
\`mode=preview\`, which counts the records and tells what they would cost, for nothing. A page is charged only if it has
records; \`coverage\` says what the search could look through. \`max_credits\` refuses a page that costs more.

### Versions

Use version 2 (\`/v2.0/…\`). Version 1 has the shape of older services; its responses carry \`Deprecation\`, and \`Link\` to
the successor. New members may be added to an answer of either version at any time: ignore those you do not know.`;
}

function fixtureTable(operations: readonly Operation[]): string {
  const rows = operations
    .filter((row) => listenerOf(row) === 'api')
    .flatMap(({ fixtures = [], routes, method }) =>
      fixtures.map(
        ({ value, answers }) => `| \`${method} ${routes[0].path}\` | \`${value}\` | ${answers} |`,
      ),
    );
  return ['| operation | asks for | answers |', '| --- | --- | --- |', ...rows].join('\n');
}
