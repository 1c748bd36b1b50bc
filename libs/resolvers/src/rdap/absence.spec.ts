import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { meaningOfNotFound, type NotFoundMeaning } from './absence.js';

const NAME = 'sample.example';

/** The places in which servers explain a 404. */
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

/** Members unknown to RFC 9083 can only show that an answer is not an absence. */
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
];

/** Texts that say nothing about the name; most of them are in no list of rejections. */
const SILENT_TEXTS = [
  '404',
  'Error',
  'HTTP 404',
  'Error 404.',
  'NoSuchKey',
  'NoSuchBucket',
  'The specified key does not exist.',
  '维护中',
  '系统升级,请稍后',
  'メンテナンス中です',
  '점검 중입니다',
  'Ведутся технические работы',
  'Wartungsarbeiten',
  'En mantenimiento',
  'Service en maintenance',
  'خارج الخدمة',
  'Auction pending',
  'Domain is in redemption',
  'Pending delete',
  'Registration data withheld',
  'Registered, data not public',
  'Registered elsewhere',
  'This name belongs to another registry',
  'Name known to the registrar only',
  'Zone not managed here',
  "The RDAP server doesn't have information about the requested zone",
  'Please use the new service',
  'This service has moved to https://rdap.other.example/',
  `See https://rdap.other.example/domain/${NAME}`,
  'Deprecated endpoint',
  'API version v0 was retired',
  'Unknown host header',
  'default backend - 404',
  'Whitelabel Error Page',
  'This page could not be found.',
  'Site not installed',
  'Application not found',
  'Route not found',
  'File not found',
  'Function invocation not found',
  'Deployment not found',
  'Project not found',
  'Unknown tenant',
  'License expired',
  'Certificate expired',
  'Invalid token',
  'Missing parameter',
  'Malformed query',
  'Label contains characters outside the table',
  'IDN variant of a registered name',
  'Found in the archive',
  'No data yet: replication lag',
  'Cache miss',
  'Shard 3 is not reachable',
  'Snapshot restore in progress',
  'Query parser failed',
  'Only nameserver queries are answered',
  'Contact the registrar',
  'Not registered with this registrar',
  'The domain is not registered through us',
  'Available',
  'Not found in the cache',
  'Object not found in this instance',
  'No information available for this TLD',
  'The registry data is being migrated this weekend and answers are incomplete',
  'Test environment',
  'null',
  'Domain not registered here',
  'The domain is not registered at this registrar',
  'Registration of this name was completed by a partner of the registry in the year 2019',
  'Purple kiosks gather seven lanterns beside a harbour while the evening ferry crosses',
  'The record of the requested domain is shown to its holder in the portal of the registry',
  `Customers of resellers find ${NAME} in the directory of the reseller that sold it to them`,
  'A holder of this label answers for it in the register of the ministry since last autumn',
  'Domain not registered there',
  'Domain not found for you',
  'Not registered to you',
  'Not found in my database',
  'Domain not found in test database',
  'Domain not found on request',
  'No such domain registered by request',
  'Resource not found',
  'No such resource',
  'The requested resource could not be found',
  'The resource you requested does not exist',
  'Domain is not delegated',
  `${NAME} is not assigned`,
  `${NAME} is available for purchase`,
  `/domain/${NAME} not found`,
  `The resource /domain/${NAME} does not exist`,
  `domain/${NAME} not found`,
  `/domains/${NAME} not found`,
  `/${NAME} not found`,
  `${NAME}/ not found`,
  'Domain .example not found',
  '.example not found',
  'No such object: .example',
  'No entry found for TLD',
  'No entry found for ccTLD',
  'Registry not found for domain',
  'Is domain not found',
  'Does the domain not exist',
  'Domain not found: no',
  ...'DNS|zone|reseller|OT&E|archive|premium|history|selected|main|customer|live|registrar'
    .split('|')
    .map((whose) => `Domain not found in ${whose} database`),
  `${NAME} does not exist in the zone database`,
  'Domain not found ...',
  'Was: Domain not found',
  'Domain not found…',
  `${NAME.slice(0, NAME.indexOf('.'))} not found`,
] as const;

/** Sentences from terms of use, from the table for port 43. */
const SENTENCES = readFileSync('test/eval-whois/hostile-answers.txt', 'utf8')
  .split('\n## ')
  .slice(-2)
  .flatMap((kind) => kind.trimEnd().split('\n').slice(1))
  .map((row) => row.replaceAll(/% Terms of Use⏎% |⏎|ABSENT/g, ''));

const NOT_FOUND = { errorCode: 404, title: 'Not Found' };
const TERMS = {
  title: 'Terms of Use',
  description: ['By querying this service you agree to the terms at https://nic.example/terms'],
};
/** Where such a text may appear: as the only text, and beside a statement of absence. */
const PLACES: Readonly<Record<string, (said: string) => Record<string, unknown>>> = {
  'the title': (said) => ({ errorCode: 404, title: said }),
  'the only description': (said) => ({ errorCode: 404, description: [said] }),
  'the description': (said) => ({ ...NOT_FOUND, description: [said] }),
  'a later line': (said) => ({ ...NOT_FOUND, description: ['Domain not found', said] }),
  'a conforming body': (said) => ({
    rdapConformance: ['rdap_level_0'],
    errorCode: 404,
    title: said,
  }),
  'a separate member': (said) => ({ errorCode: 404, status: said }),
  'the title of a notice': (said) => ({ ...NOT_FOUND, notices: [{ title: said }, TERMS] }),
  'a notice': (said) => ({ ...NOT_FOUND, notices: [TERMS, { description: [said] }] }),
  'a titled notice': (said) => ({
    ...NOT_FOUND,
    notices: [{ title: 'Notice', description: [said] }],
  }),
  'the terms of use': (said) => ({
    ...NOT_FOUND,
    notices: [{ title: TERMS.title, description: [...TERMS.description, said] }],
  }),
  'a sentence behind a term': (said) => ({
    ...NOT_FOUND,
    notices: [{ title: TERMS.title, description: [`${TERMS.description[0]}. ${said}`] }],
  }),
  'a remark': (said) => ({ ...NOT_FOUND, remarks: [{ description: [said] }] }),
  'the title of a link': (said) => ({
    ...NOT_FOUND,
    notices: [{ ...TERMS, links: [{ href: 'https://nic.example/terms', title: said }] }],
  }),
};
/** The bare code states nothing, and is harmless beside a statement. */
const IS_BARE_CODE = /^(?:404|error|http 404|error 404\.)$/i;

/** Small print that registries send with every answer. */
const SMALL_PRINT = [
  { title: 'Terms of Service', description: ['Service subject to Terms of Use.'] },
  {
    title: 'Status Codes',
    description: [
      'For more information on domain status codes, please visit https://icann.org/epp',
    ],
  },
  {
    title: 'RDDS Inaccuracy Complaint Form',
    description: ['URL of the ICANN RDDS Inaccuracy Complaint Form: https://icann.org/wicf'],
  },
  {
    title: 'Copyright',
    description: ['Copyright (c) 2026 Registry Example. All rights reserved.'],
  },
  {
    title: 'RDAP Terms of Service',
    description: [
      'By querying our Domain Database, you are agreeing to comply with these terms, so please read them carefully.',
      'Any information provided is "as is" without any guarantee of accuracy.',
      'Please do not misuse the Domain Database. It is intended solely for query-based access.',
      "Don't use the Domain Database to allow, enable, or otherwise support the transmission of mass unsolicited mail.",
      "Don't access it through the use of high volume, automated, electronic processes; we may throttle or block you.",
      'We may restrict your access to the Domain Database at any time.',
    ],
  },
  {
    title: 'Disclaimer',
    description: [
      'The data is provided for information purposes only; the registry does not guarantee its accuracy.',
      'This information has been partially redacted and may be withheld for reasons of privacy.',
    ],
  },
  { title: "Conditions d'utilisation", description: ['https://nic.example/fr/conditions'] },
  { title: '利用規約', description: ['https://nic.example/jp/terms'] },
  { title: 'Status', description: ['Some names are reserved for the registry'] },
  { description: ['This response conforms to the RDAP Operational Profile and its terms.'] },
];

describe('the body of a 404', () => {
  const cases = Object.entries(REFUSALS).flatMap(([meaning, texts]) =>
    texts.flatMap((said) =>
      Object.keys(SHAPES).map((shape) => [meaningIn(shape, meaning), shape, said]),
    ),
  );

  it.each(cases)('is %s if its %s says %j', (meaning, shape, said) => {
    expect(meaningOfNotFound(SHAPES[shape](said), NAME)).toBe(meaning);
  });

  it.each(ABSENCES)('says that nobody holds the name: %j', (said) => {
    for (const [shape, body] of Object.entries(SHAPES)) {
      expect([shape, meaningOfNotFound(body(said), NAME)]).toEqual([shape, 'absent']);
    }
  });

  it('means absence if it says nothing else, whatever surrounds it', () => {
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

  it('is read for statements about the name on separate lines', () => {
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
  ])('uses a notice about this query: %j', (notice, meaning) => {
    const body = { errorCode: 404, title: 'Not Found', notices: [notice] };
    expect(meaningOfNotFound(body, NAME)).toBe(meaning);
  });

  it.each(Object.entries(PLACES))('never means absence for a text in %s', (place, body) => {
    const isBeside = !['the title', 'the only description', 'a conforming body'].includes(place);
    const texts = [...SILENT_TEXTS, ...SENTENCES].filter(
      (said) => !(isBeside && IS_BARE_CODE.test(said)),
    );
    expect(texts.filter((said) => meaningOfNotFound(body(said), NAME) === 'absent')).toEqual([]);
  });

  it.each(SMALL_PRINT)('means absence beside small print: $title', (notice) => {
    const body = { ...NOT_FOUND, rdapConformance: ['rdap_level_0'], notices: [notice] };
    expect(meaningOfNotFound(body, NAME)).toBe('absent');
    expect(meaningOfNotFound({ ...body, notices: SMALL_PRINT }, NAME)).toBe('absent');
  });

  it.each([
    [{ links: [{ rel: 'self', href: 'https://rdap.example/domain/other.example' }] }],
    [{ links: [{ rel: 'related', href: `https://rdap.other.example/domain/${NAME}` }] }],
    [{ links: [{ rel: 'alternate', href: 'https://registrar.example/' }] }],
    [{ links: [{ rel: 'Related', href: 'https://registrar.example/' }] }],
    [{ links: [{ rel: 'related alternate', href: 'https://registrar.example/' }] }],
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
  ])('is no absence with %j', (member) => {
    expect(meaningOfNotFound({ ...NOT_FOUND, ...member }, NAME, 'rdap.example')).toBe('unclear');
  });

  it('means absence with a link to itself and ids of the answer', () => {
    const links = [{ rel: 'self', href: `https://rdap.example/domain/${NAME.toUpperCase()}` }];
    const ids = { id: '7f3a', requestId: 17, timestamp: '2026-11-24T06:00:00Z', status: 404 };
    const body = { ...NOT_FOUND, ...ids, links };
    expect(meaningOfNotFound(body, NAME)).toBe('absent');
    expect(meaningOfNotFound(body, NAME, 'rdap.example')).toBe('absent');
  });

  it.each(['message', 'error', 'detail'])('is a gateway’s without an error code: %s', (member) => {
    expect(meaningOfNotFound({ [member]: 'Not Found' }, NAME)).toBe('unclear');
    expect(meaningOfNotFound({ [member]: 'Not Found', errorCode: 404 }, NAME)).toBe('absent');
  });

  it('is contradicted by an object', () => {
    const body = { objectClassName: 'domain', ldhName: NAME, errorCode: 404 };
    expect(meaningOfNotFound(body, NAME)).toBe('unclear');
  });

  it('reserves a name by its own status', () => {
    expect(meaningOfNotFound({ errorCode: 404, status: ['reserved'] }, NAME)).toBe('kept_back');
  });
});
