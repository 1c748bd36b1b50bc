import { describe, expect, it } from '@jest/globals';
import { meaningOfNotFound, type NotFoundMeaning } from './absence.js';

const NAME = 'sample.example';
const NOT_FOUND = { errorCode: 404, title: 'Not Found' };

const SHAPES: Readonly<Record<string, (said: string) => Record<string, unknown>>> = {
  title: (said) => ({ errorCode: 404, title: said }),
  description: (said) => ({ errorCode: 404, title: 'Not Found', description: [said] }),
  'a description of one text': (said) => ({ errorCode: 404, description: said }),
  'a second line': (said) => ({
    rdapConformance: ['rdap_level_0'],
    errorCode: 404,
    title: 'Not Found',
    description: ['Domain not found.', said],
  }),
  'a separate message': (said) => ({ errorCode: 404, message: said }),
  'a nested error': (said) => ({ errorCode: 404, errors: [{ detail: said }] }),
};

const REFUSALS: Readonly<Partial<Record<NotFoundMeaning, readonly string[]>>> = {
  throttled: [
    'Rate limit exceeded',
    'Too many requests from 192.0.2.1',
    'You have exceeded your quota of queries',
    'Access denied',
    'Access to this service is forbidden',
    'Your address is not authorized to query this server',
    'Please slow down',
    'Your IP address has been blocked',
    'Query refused by policy',
  ],
  outage: [
    'The service is under maintenance',
    'The registry database is unavailable',
    'Internal server error',
    'upstream connect error',
    'no healthy upstream',
    'Request timed out',
    'Bad gateway',
    'Database connection failed: domain not found',
  ],
  kept_back: [
    `The domain ${NAME} is reserved`,
    'This name is reserved by the registry',
    'Premium domain',
    'This domain name is not available for registration',
    'The name is blocked',
  ],
  unclear: [
    'This server is not authoritative for this domain',
    'Not authoritative for example',
    'No RDAP service is available for this resource',
    'TLD not found',
    'TLD not supported',
    'The TLD example is not served here',
    'Unknown TLD',
    'Domain not found on this server: ask another server',
    'The requested URL was not found on this server.',
    'No route matches GET /domain/sample.example',
    'Cannot GET /domain/sample.example',
    'No static resource domain/sample.example.',
    'Endpoint not found',
    'Unknown path',
    'Invalid domain name',
    'The domain name is malformed',
    'Punycode of the label is not valid',
    'Label too long',
    'other.example not found',
    'No match for "other.example".',
    'The domain other.example is not registered',
    `${NAME}: no match in .test`,
    `No match in .net for ${NAME}`,
    `${NAME} not found in the .net registry`,
    'Nameserver not found',
    'Entity not found',
    'Registrar not found',
    'Kiosk purple seven',
    'Domain not found?',
  ],
};

/**
 * Returns the expected meaning. In members that RFC 9083 does not define, the restriction of a name is not recognised.
 */
function meaningIn(shape: string, meaning: string): string {
  const isOwn = shape === 'a separate message' || shape === 'a nested error';
  return isOwn && meaning === 'kept_back' ? 'unclear' : meaning;
}

const ABSENCES = [
  'Not Found',
  '404 Not Found',
  'Error 404: Not Found',
  'Object not found',
  'Domain not found',
  'Domain not found.',
  'No such domain',
  `Domain ${NAME} not found`,
  `${NAME} not found`,
  `The domain name ${NAME.toUpperCase()} does not exist`,
  `The domain ${NAME} was not found in our database`,
  `No match for "${NAME}".`,
  'The requested domain was not found',
  'The domain you requested was not found.',
  `${NAME} not found in the .example registry`,
  'No entries found in the AFNIC Database.',
  'No entries found in the .example database',
  `No information available about domain name ${NAME} in the Registry NASK database.`,
  'We do not have an entry in our database matching your query.',
  'The domain is not a registered .example domain',
  'Not found in the whois database',
  `The domain you are seeking as '${NAME}' is/are not here.`,
  'The queried object does not exist',
  'No entries found',
  'Nicht gefunden',
  'No data was found to match the request criteria.',
  'No entries found for the selected source(s).',
  `No records found for domain name ${NAME}`,
  'No match for the requested domain',
  `No domain found with name ${NAME}`,
  'No such domain exists',
];

const manyTexts = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`said${at}`, 'Not Found']));

describe('the body of a 404', () => {
  const cases = Object.entries(REFUSALS).flatMap(([meaning, texts]) =>
    texts.flatMap((said) =>
      Object.keys(SHAPES).map((shape) => [meaningIn(shape, meaning), shape, said]),
    ),
  );

  it.each(cases)('is %s if its %s says %j', (meaning, shape, said) => {
    expect(meaningOfNotFound(SHAPES[shape](said), NAME)).toBe(meaning);
  });

  it.each(ABSENCES)('states that the name is not registered: %j', (said) => {
    for (const [shape, body] of Object.entries(SHAPES)) {
      expect([shape, meaningOfNotFound(body(said), NAME)]).toEqual([shape, 'absent']);
    }
  });

  it.each([
    'quota.example',
    'throttled.example',
    'denied.example',
    'my-captcha.example',
    'api-gateway.example',
    'offline.example',
    'wdpml.example',
    'best-registrar.example',
    'my-status.example',
  ])('is judged without the name that it repeats: %s', (name) => {
    for (const body of Object.values(SHAPES)) {
      expect(meaningOfNotFound(body(`${name} not found`), name)).toBe('absent');
      expect(meaningOfNotFound(body(`${name}: rate limit exceeded`), name)).toBe('throttled');
    }
  });

  it('means absence if it states nothing else, whatever surrounds the statement', () => {
    const around = {
      rdapConformance: ['rdap_level_0'],
      lang: 'en',
      port43: 'whois.nic.example',
      links: [{ rel: 'about', href: 'https://other.example/', title: 'Terms of Use' }],
      notices: [
        {
          title: 'Terms of Use',
          description: [
            'Access may be denied to those who exceed the rate limit.',
            'A list of reserved names is at https://nic.example/reserved',
          ],
        },
        {
          title: 'Status Codes',
          description: ['For more information visit https://icann.example'],
          links: [{ href: 'https://icann.example', title: 'Status Codes' }],
        },
      ],
    };
    expect(meaningOfNotFound(around, NAME)).toBe('absent');
    expect(meaningOfNotFound({ ...around, errorCode: 404, title: 'Not Found' }, NAME)).toBe(
      'absent',
    );
    expect(meaningOfNotFound({}, NAME)).toBe('absent');
  });

  it.each([300, 30_000])('is unclear if a text continues after %d spaces', (count) => {
    const said = `Domain not found${' '.repeat(count)}in the cache`;
    for (const shape of Object.values(SHAPES)) {
      expect(meaningOfNotFound(shape(said), NAME)).toBe('unclear');
    }
  });

  it.each<[string, Record<string, unknown>]>([
    ['more lines than are read', { description: `${'\n'.repeat(300)}Held.` }],
    ['more texts than are read', { ...manyTexts(60), message: 'Held.' }],
    [
      'a longer notice than is read',
      { notices: [{ description: [`Terms of Use${' '.repeat(40_000)}held`] }] },
    ],
  ])('is unclear with %s', (_what, more) => {
    expect(meaningOfNotFound({ ...NOT_FOUND, ...more }, NAME)).toBe('unclear');
  });

  it('may state the absence over several lines', () => {
    const wrapped = { errorCode: 404, description: ['Domain not found :', NAME] };
    expect(meaningOfNotFound(wrapped, NAME)).toBe('absent');
    const other = { errorCode: 404, description: ['Domain not found :', 'other.example'] };
    expect(meaningOfNotFound(other, NAME)).toBe('unclear');
  });

  it.each([
    [{ title: 'Reserved Domain', description: ['-'] }, 'kept_back'],
    [{ description: [`${NAME} is reserved by the registry`] }, 'kept_back'],
    [{ title: 'Notice', description: ['This name is a premium name'] }, 'kept_back'],
    [{ description: ['Rate limit exceeded'] }, 'throttled'],
    [{ description: ['Слишком много запросов'] }, 'throttled'],
    [{ description: ['Zugriff verweigert'] }, 'throttled'],
    [{ description: ['Not found in the local cache, fetch pending'] }, 'unclear'],
    [{ description: ['Sign in to see registered names'] }, 'unclear'],
    [{ title: 'Domain found', description: [] }, 'unclear'],
    [{ description: ['Tenant not found'] }, 'unclear'],
    [{ description: [`${NAME} does not exist in DNS`] }, 'unclear'],
    [{ description: ['This server is not authoritative for example'] }, 'unclear'],
    [{ description: ['The registry is under maintenance'] }, 'outage'],
  ])('is also judged by a notice about this query: %j', (notice, meaning) => {
    const body = { errorCode: 404, title: 'Not Found', notices: [notice] };
    expect(meaningOfNotFound(body, NAME)).toBe(meaning);
  });

  it.each([
    [{ links: [{ rel: 'self', href: 'https://rdap.example/domain/other.example' }] }],
    [{ links: [{ rel: 'related', href: `https://rdap.other.example/domain/${NAME}` }] }],
    [{ links: [{ rel: 'alternate', href: 'https://registrar.example/' }] }],
    [{ links: [{ rel: 'Related', href: 'https://registrar.example/' }] }],
    [{ links: [{ rel: 'related alternate', href: 'https://registrar.example/' }] }],
    [{ links: [{ rel: 'registrant', href: 'https://rdap.example/entity/HOLDER-1' }] }],
    [{ links: [{ rel: 'latest-version', href: `https://rdap.other.example/${NAME}` }] }],
    [{ links: [{ rel: 'self', status: 'reserved' }] }],
    [{ links: { rel: 'related', href: 'https://registrar.example/' } }],
    [{ links: [{ rel: 'about', href: '/domain/other.example' }] }],
    [{ links: [{ rel: 'self', href: `https://rdap.other.example/domain/${NAME}` }] }],
    [{ errors: [{ links: [{ rel: 'related', href: 'https://registrar.example/' }] }] }],
    [{ notices: [{ links: [{ href: `https://rdap.other.example/domain/${NAME}` }] }] }],
    [{ notices: [{ links: [{ href: 'https://rdap.example/domain/other.example' }] }] }],
    [{ timestamp: 'the name is reserved until 2027' }],
    [{ requestId: 'domain registered since 2001' }],
    [{ requestId: 'registered-2001' }],
    [{ traceId: { status: 'registered 1' } }],
    [{ lang: 'the name is in another copy' }],
    [{ lang: 'reserved' }],
    [{ lang: 'en-registered' }],
    [{ port43: 'registered' }],
    [{ port43: 'held.by.another' }],
    [{ port43: 'nicht.berechtigt' }],
    [{ links: [{ rel: 'about', href: 'https://rdap.example/lookup?domain=other.example' }] }],
    [{ links: [{ rel: 'about', href: `https://registrar.example/whois?domain=${NAME}` }] }],
    [{ links: [{ rel: 'about', href: `https://registrar.example/?q=${NAME.toUpperCase()}` }] }],
    [{ notices: [{ links: [{ href: `https://registrar.example/?name=${NAME}.` }] }] }],
    [{ links: [{ href: 'https://rdap.example/domain/%6Fther.example' }] }],
    [{ rdapConformance: ['the registry is being moved'] }],
    [{ port43: 'ask another server' }],
    [{ status: 503 }],
    [{ code: 429 }],
    [{ subErrorCode: 1015 }],
    [{ retryAfter: 30 }],
    [{ available: false }],
    [{ success: true }],
    [{ registered: true }],
    [{ nameservers: [{ ldhName: 'ns1.example' }] }],
    [{ errors: [{ held: { by: { whom: { since: { year: 'registered' } } } } }] }],
    [{ notices: { title: 'Maintenance' } }],
    [{ notices: ['maintenance'] }],
    [{ notices: [{ title: 'Terms of Use', more: { text: 'The name is held.' } }] }],
    [{ notices: [{ description: [...Array<string>(300).fill('Terms of Use'), 'Held.'] }] }],
    [{ notices: [...Array<object>(300).fill({ title: 'Terms of Use' }), { title: 'Held' }] }],
    [{ notices: [{ type: 'object truncated due to excessive load' }] }],
    [{ rdapConformance: 'maintenance' }],
    [{ path: '/error' }],
    [{ expirationDate: '2027-01-01T00:00:00Z' }],
    [{ details: { created: '2020-01-01T00:00:00Z' } }],
    [{ registrant: 'Data redacted' }],
    [{ email: 'owner@mail.example' }],
    [{ nameservers: ['ns1.nic.example', 'ns2.nic.example'] }],
  ])('with %j, does not mean absence', (member) => {
    expect(meaningOfNotFound({ ...NOT_FOUND, ...member }, NAME, 'rdap.example')).toBe('unclear');
  });

  it('means absence even if the answer has an id, a time and a link to itself', () => {
    const links = [
      { rel: 'self', href: `https://rdap.example/domain/${NAME.toUpperCase()}` },
      { rel: 'self', href: `https://rdap.example/domain/%73ample.example?lang=en` },
      { rel: 'terms-of-service', href: 'https://nic.example/terms?version=2.1' },
    ];
    const ids = { id: '7f3a', requestId: 17, timestamp: '2026-11-24T06:00:00Z', status: 404 };
    const body = { ...NOT_FOUND, ...ids, links };
    expect(meaningOfNotFound(body, NAME)).toBe('absent');
    expect(meaningOfNotFound(body, NAME, 'rdap.example')).toBe('absent');
  });

  it.each(['message', 'error', 'detail'])(
    'counts as a gateway’s answer if it has no error code: %s',
    (member) => {
      expect(meaningOfNotFound({ [member]: 'Not Found' }, NAME)).toBe('unclear');
      expect(meaningOfNotFound({ [member]: 'Not Found', errorCode: 404 }, NAME)).toBe('absent');
    },
  );

  it('does not mean absence if it also contains an object', () => {
    const body = { objectClassName: 'domain', ldhName: NAME, errorCode: 404 };
    expect(meaningOfNotFound(body, NAME)).toBe('unclear');
  });

  it('can reserve a name in its own script', () => {
    const notices = [{ description: ['bücher.example is reserved by its registry'] }];
    expect(meaningOfNotFound({ ...NOT_FOUND, notices }, 'xn--bcher-kva.example')).toBe('kept_back');
  });

  it('can reserve a name with a special status', () => {
    expect(meaningOfNotFound({ errorCode: 404, status: ['reserved'] }, NAME)).toBe('kept_back');
  });
});

describe('the body of a 404 about an address or an AS number', () => {
  it.each<[NotFoundMeaning, Record<string, unknown>]>([
    ['absent', { errorCode: 404 }],
    ['absent', { errorCode: 404, title: '404 Not Found' }],
    [
      'absent',
      { ...NOT_FOUND, description: ["The autnum you are seeking as '64500' is/are not here."] },
    ],
    ['throttled', { errorCode: 404, title: 'Слишком много запросов' }],
    ['throttled', { ...NOT_FOUND, description: ['Zu viele Anfragen'] }],
    ['unclear', { errorCode: 404, title: 'Datenbank nicht erreichbar' }],
    ['unclear', { ...NOT_FOUND, description: ['Address space transferred to RIPE NCC'] }],
    ['unclear', { ...NOT_FOUND, description: ['Managed by APNIC'] }],
    [
      'unclear',
      { ...NOT_FOUND, links: [{ rel: 'related', href: 'https://rdap.example/ip/1.2.3.4' }] },
    ],
    ['unclear', { ...NOT_FOUND, startAddress: '1.2.3.0' }],
  ])('is %s: %j', (meaning, body) => {
    expect(meaningOfNotFound(body, '')).toBe(meaning);
  });
});
