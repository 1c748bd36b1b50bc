import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { IndexSignals } from '#libs/contracts';
import { Logger, type RunningService, ServiceTokens, loadConfig, newId } from '#libs/platform';
import { Registries } from '#libs/resolvers';
import { TestClock } from '#test/environment';
import { JsonServer } from '../../../../test/stand-ins/json-server.js';
import { LookupConfig } from '../lookup.config.js';
import { startLookup } from '../start.js';

const SECRET = 'a secret between services, long enough';
const clock = new TestClock('2026-11-20T11:42:03Z');
const { tld, whoisServer } = Registries.vendored()
  .routes()
  .find((route) => route.rdapBaseUrl === undefined && route.whoisServer !== undefined)!;

const NOTHING: IndexSignals = { firstSeen: null, lists: 3, listings: [], lexical: null };
const listing = {
  list: 'phish list',
  category: 'phishing',
  host: '',
  listedAt: '2026-10-01T00:00:00.000Z',
};
const SIGNALS: Readonly<Record<string, IndexSignals>> = {
  [`new.${tld}`]: { ...NOTHING, firstSeen: '2026-11-01T00:00:00.000Z' },
  [`xkqzvw.${tld}`]: { ...NOTHING, lexical: { version: 1, deviations: 9 } },
  [`old.${tld}`]: { ...NOTHING, firstSeen: '2020-11-01T00:00:00.000Z' },
  [`listed.${tld}`]: { ...NOTHING, listings: [listing] },
};

class Index extends JsonServer {
  protected override answer({ url = '' }: IncomingMessage): object {
    const name = new URL(url, this.url).searchParams.get('name') ?? '';
    return SIGNALS[name] ?? NOTHING;
  }
}

const index = new Index();
const tokens = new ServiceTokens(SECRET, clock);
let service: RunningService;

beforeAll(async () => {
  await index.start();
  const config = loadConfig(LookupConfig, {
    SERVICE_SECRET: SECRET,
    LOOKUP_PORT: '0',
    // The registry cannot be reached, because connections to multicast addresses fail.
    LOOKUP_UPSTREAM_EXCEPTIONS: `${whoisServer}:43=224.0.0.1:43`,
    // Nor can the resolver: the system does not connect sockets to the broadcast address.
    LOOKUP_DNS_SERVERS: '255.255.255.255:53',
    CORPUS_URL: index.url,
  });
  const logger = new Logger('lookup', { write: () => undefined });
  service = await startLookup({ config, clock, logger });
});
afterAll(async () => {
  await service?.stop();
  await index.stop();
});

async function judged(label: string, mode = 'fast', suffix = tld) {
  const query = new URLSearchParams({ domainName: `${label}.${suffix}`, mode });
  const answer = await fetch(`${service.url}/internal/reputation?${query}`, {
    headers: {
      authorization: `Bearer ${tokens.issue('gateway', 'lookup')}`,
      'x-account-id': newId(),
    },
  });
  const { code, verdict, unknown } = (await answer.json()) as Record<string, unknown>;
  return {
    status: answer.status,
    outcome: answer.headers.get('x-outcome'),
    creditsMax: answer.headers.get('x-credits-max'),
    code,
    verdict,
    unknown,
  };
}

it.each(['unheard', 'new', 'xkqzvw'])(
  'without any fact except unusual letters or a recent first observation, there is no verdict and no charge: %s',
  async (label) => {
    const { status, outcome, code } = await judged(label);
    expect([status, outcome, code]).toEqual([503, 'unreachable', 'upstream_unreachable']);
  },
);

it.each([
  ['old', 'neutral'],
  ['listed', 'malicious'],
])(
  'one fact from the corpus is enough for an answer without the registry: %s',
  async (label, verdict) => {
    expect(await judged(label)).toMatchObject({
      status: 200,
      outcome: 'partial',
      verdict,
      unknown: ['registration'],
    });
  },
);

it('without an answer from the DNS, `mode=full` costs as much as `mode=fast`', async () => {
  expect(await judged('old', 'full')).toMatchObject({
    status: 200,
    outcome: 'partial',
    unknown: ['registration', 'dns'],
    creditsMax: '1',
  });
});

it('a name’s absence from the DNS is not enough for a verdict; a registration is', async () => {
  const { status, code } = await judged('unheard', 'full', 'test');
  expect([status, code]).toEqual([422, 'tld_unsupported']);
});
