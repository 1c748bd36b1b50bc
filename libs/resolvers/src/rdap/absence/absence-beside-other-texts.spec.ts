import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { meaningOfNotFound } from './absence.js';

const NAME = 'sample.example';
const NOT_FOUND = { errorCode: 404, title: 'Not Found' };

/** Texts that do not say that the name is not registered; most of them match no pattern of rejections. */
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
  `${NAME} was not found and is registered`,
  `${NAME} not found ${NAME} is registered`,
  'Domain not found but registered',
  'Domain not found in search',
  'Domain not found in this search',
  'Domain not found in your request',
  'Domain not found in the search results',
  'Domain not found in source',
  'Domain not found by search',
  'No domain is available for registration',
  'Domain not found from us',
  'Domain not found to registered',
  'Lock: registry',
  'Taken for Novaterra',
  'Domain status not known',
  'Registration status not found',
  'Domain status could not be found',
  'Could not find domain status',
  'Domain not found…',
  `${NAME.slice(0, NAME.indexOf('.'))} not found`,
  'Access to this data is not permitted.',
  'Your use of the service is not permitted.',
  'Your session has been filtered.',
  'There is a registration but no data found',
  'There are registration records but no data found',
  'The registration is there but the record is not found',
  'The domain has a registration but the requested data could not be found',
  'Domain had registration, not found',
  'No WHOIS information available for this domain name',
  'No registration data available for this domain',
  `No information available about ${NAME}`,
  'The record is available',
  'The object is currently available',
  'The registration is available',
] as const;

const SENTENCES = readFileSync('test/eval-whois/hostile-answers.txt', 'utf8')
  .split('\n## ')
  .slice(-2)
  .flatMap((kind) => kind.trimEnd().split('\n').slice(1))
  .map((row) => row.replaceAll(/% Terms of Use⏎% |⏎|ABSENT/g, ''));

const TERMS = {
  title: 'Terms of Use',
  description: ['By querying this service you agree to the terms at https://nic.example/terms'],
};
/** The places in which such a text may appear: alone, and next to a statement of absence. */
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
/** The bare code of the error, which says nothing and does not contradict a statement of absence. */
const IS_BARE_CODE = /^(?:404|error|http 404|error 404\.)$/i;

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
  it.each(Object.entries(PLACES))('never means absence because of a text in %s', (place, body) => {
    const isBeside = !['the title', 'the only description', 'a conforming body'].includes(place);
    const texts = [...SILENT_TEXTS, ...SENTENCES].filter(
      (said) => !(isBeside && IS_BARE_CODE.test(said)),
    );
    expect(texts.filter((said) => meaningOfNotFound(body(said), NAME) === 'absent')).toEqual([]);
  });

  it.each(SMALL_PRINT)('means absence next to small print: $title', (notice) => {
    const body = { ...NOT_FOUND, rdapConformance: ['rdap_level_0'], notices: [notice] };
    expect(meaningOfNotFound(body, NAME)).toBe('absent');
    expect(meaningOfNotFound({ ...body, notices: SMALL_PRINT }, NAME)).toBe('absent');
  });

  it('S64: is not read if it comes with very many sentences, even of small print', () => {
    const bodyWith = (count: number) => ({
      ...NOT_FOUND,
      rdapConformance: ['rdap_level_0'],
      notices: Array.from({ length: count / 50 }, () => ({
        description: Array.from({ length: 50 }, () => SMALL_PRINT[0].description[0]),
      })),
    });
    expect(meaningOfNotFound(bodyWith(400), NAME)).toBe('absent');
    expect(meaningOfNotFound(bodyWith(600), NAME)).toBe('unclear');
  });
});
