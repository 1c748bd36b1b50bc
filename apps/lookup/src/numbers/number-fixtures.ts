import type { NetworkSource, NumberBlock, NumberLookup } from '#libs/resolvers';

const THROTTLED_RETRY_AFTER_SECONDS = 60;

/** The answer of each fixture of `ip.whois` and `asn.whois`, by the value in the row of the operation. */
const ANSWERS: Readonly<Record<string, (at: Date) => NumberLookup>> = {
  '192.0.2.1': (at) => held(at, '192.0.2.0', '192.0.2.255'),
  '2001:db8::1': (at) => held(at, '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'),
  '198.51.100.0/24': notAllocated,
  '203.0.113.1': throttled,
  AS64496: (at) => held(at, '64496', '64496'),
  AS64511: notAllocated,
  AS65551: throttled,
};

/** Returns the fixture for an address, a block or an AS number such as `AS64496`; undefined for any other text. */
export function numberFixture(asked: string, at: Date): NumberLookup | undefined {
  return Object.hasOwn(ANSWERS, asked) ? ANSWERS[asked](at) : undefined;
}

function held(at: Date, start: string, end: string): NumberLookup {
  const block: NumberBlock = {
    start,
    end,
    handle: `EXAMPLE-${start}`,
    name: 'EXAMPLE-NET',
    type: 'ASSIGNED PA',
    countryCode: 'NL',
    descriptions: ['Example network'],
    statuses: ['active'],
    created: moment('2003-03-17T12:15:57Z'),
    updated: moment('2024-12-04T14:42:31Z'),
    originAsns: [64_496],
    contacts: [
      {
        handle: 'ORG-EX1',
        name: 'Example Networks',
        street: '1 Example Street',
        city: 'Amsterdam',
        countryCode: 'NL',
        roles: ['registrant'],
        emails: ['office@example.net'],
        phones: ['+31.205550100'],
      },
    ],
    abuseContacts: [{ email: 'abuse@example.net', foundIn: 'rdap_role' }],
  };
  return { outcome: 'delivered', registry: 'ripe', block, ...from(at, { outcome: 'delivered' }) };
}

function notAllocated(at: Date): NumberLookup {
  return { outcome: 'not_registered', ...from(at, { outcome: 'not_registered', httpStatus: 404 }) };
}

function throttled(at: Date): NumberLookup {
  return {
    outcome: 'throttled',
    retryAfterSeconds: THROTTLED_RETRY_AFTER_SECONDS,
    ...from(at, { outcome: 'throttled', httpStatus: 429 }),
  };
}

function from(at: Date, said: Pick<NetworkSource, 'outcome'> & Partial<NetworkSource>) {
  const source: NetworkSource = {
    id: 's1',
    protocol: 'rdap',
    server: 'https://rdap.registry.test/',
    fetchedAt: at,
    latencyMs: 42,
    httpStatus: 200,
    ...said,
  };
  return { sources: [source], fetchedAt: at };
}

function moment(iso: string) {
  return { original: iso, iso, precision: 'second' as const };
}
