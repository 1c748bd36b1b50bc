import { describe, expect, it } from '@jest/globals';
import { meaningOfNotFound, type NotFoundMeaning } from './absence.js';

const NAME = 'sample.example';

/** The places in which servers write why they answer 404. */
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
  'a message of its own': (said) => ({ errorCode: 404, message: said }),
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
    'Nameserver not found',
    'Entity not found',
    'Registrar not found',
    'Kiosk purple seven',
    'Domain not found?',
  ],
};

/** Members unknown to RFC 9083 can only show that an answer is no absence. */
function meaningIn(shape: string, meaning: string): string {
  const isOwn = shape === 'a message of its own' || shape === 'a nested error';
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
  `The domain you are seeking as '${NAME}' is/are not here.`,
  'The queried object does not exist',
  'No entries found',
  'Nicht gefunden',
];

describe('the body of a 404', () => {
  const cases = Object.entries(REFUSALS).flatMap(([meaning, texts]) =>
    texts.flatMap((said) =>
      Object.keys(SHAPES).map((shape) => [meaningIn(shape, meaning), shape, said]),
    ),
  );

  it.each(cases)('is %s when its %s says %j', (meaning, shape, said) => {
    expect(meaningOfNotFound(SHAPES[shape](said), NAME)).toBe(meaning);
  });

  it.each(ABSENCES)('says that nobody holds the name: %j', (said) => {
    for (const [shape, body] of Object.entries(SHAPES)) {
      expect([shape, meaningOfNotFound(body(said), NAME)]).toEqual([shape, 'absent']);
    }
  });

  it('says so when it says nothing else, whatever stands around it', () => {
    const around = {
      rdapConformance: ['rdap_level_0'],
      lang: 'en',
      port43: 'whois.nic.example',
      links: [{ rel: 'about', href: 'https://other.example/', title: 'Reserved' }],
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
        },
      ],
    };
    expect(meaningOfNotFound(around, NAME)).toBe('absent');
    expect(meaningOfNotFound({ ...around, errorCode: 404, title: 'Not Found' }, NAME)).toBe(
      'absent',
    );
    expect(meaningOfNotFound({}, NAME)).toBe('absent');
  });

  it('speaks of the name on lines of its own', () => {
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
  ])('counts a notice that speaks of this question: %j', (notice, meaning) => {
    const body = { errorCode: 404, title: 'Not Found', notices: [notice] };
    expect(meaningOfNotFound(body, NAME)).toBe(meaning);
  });

  it('is contradicted by an object', () => {
    const body = { objectClassName: 'domain', ldhName: NAME, errorCode: 404 };
    expect(meaningOfNotFound(body, NAME)).toBe('unclear');
  });

  it('keeps a name back by a status of its own', () => {
    expect(meaningOfNotFound({ errorCode: 404, status: ['reserved'] }, NAME)).toBe('kept_back');
  });
});
