import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { JsonObject } from './json-reading.js';
import { readRdapDomain } from './rdap-record.js';

const domain = 'a.example';

const whole = {
  objectClassName: 'domain',
  handle: 'D1234-EXAMPLE',
  ldhName: 'A.EXAMPLE.',
  links: [
    { rel: 'self', href: 'https://rdap.nic.example/domain/a.example' },
    {
      rel: 'related',
      href: 'https://rdap.registrar.example/v1/domain/A.EXAMPLE/',
      type: 'application/rdap+json',
    },
  ],
  status: ['client transfer prohibited', 'active', 'add period', 'serverHold', 'validated'],
  events: [
    { eventAction: 'registration', eventDate: '2001-02-03T04:05:06Z' },
    { eventAction: 'expiration', eventDate: '2030-02-03T04:05:06.789+02:00' },
    { eventAction: 'last changed', eventDate: '2026-01-31' },
    { eventAction: 'last update of RDAP database', eventDate: '2026-11-21T00:00:00Z' },
  ],
  nameservers: [
    { objectClassName: 'nameserver', ldhName: 'NS2.HOST.EXAMPLE' },
    { objectClassName: 'nameserver', ldhName: 'ns1.host.example.' },
    { objectClassName: 'nameserver', ldhName: 'ns1.host.example' },
  ],
  secureDNS: {
    delegationSigned: true,
    dsData: [{ keyTag: 12345, algorithm: 13, digestType: 2, digest: 'ABCDEF' }],
  },
  entities: [
    {
      objectClassName: 'entity',
      roles: ['registrar'],
      handle: '9999',
      publicIds: [{ type: 'IANA Registrar ID', identifier: '9999' }],
      vcardArray: [
        'vcard',
        [
          ['version', {}, 'text', '4.0'],
          ['fn', {}, 'text', 'Example Registrar, Inc.'],
          ['url', {}, 'uri', 'https://registrar.example'],
        ],
      ],
      entities: [
        {
          roles: ['abuse'],
          vcardArray: [
            'vcard',
            [
              ['fn', {}, 'text', 'Abuse desk'],
              ['tel', { type: ['voice'] }, 'uri', 'tel:+1.5550100;ext=7'],
              ['email', {}, 'text', 'abuse@registrar.example'],
            ],
          ],
        },
      ],
    },
    {
      roles: ['registrant', 'administrative'],
      handle: 'C1',
      vcardArray: [
        'vcard',
        [
          ['fn', {}, 'text', 'REDACTED FOR PRIVACY'],
          ['org', { type: 'work' }, 'text', 'Example Holdings'],
          [
            'adr',
            { cc: 'NL' },
            'text',
            ['', '', ['1 Example Street', 'Floor 2'], 'Delft', 'ZH', '2600 AA', ''],
          ],
          ['tel', { type: 'fax' }, 'text', '+31.205550111'],
          ['tel', { type: 'voice' }, 'uri', 'tel:+31.205550100'],
          ['email', {}, 'text', ''],
        ],
      ],
    },
  ],
  redacted: [
    { name: { type: 'Registrant Email' }, method: 'removal', reason: { description: 'Policy' } },
    { name: { type: 'REGISTRANT NAME' }, prePath: '$..*', reason: { type: 'Law' } },
    { name: { description: 'Something nobody registered' } },
    'nonsense',
  ],
};

describe('readRdapDomain', () => {
  it('reads a complete answer', () => {
    const registrant = {
      handle: 'C1',
      organization: 'Example Holdings',
      street: '1 Example Street\nFloor 2',
      city: 'Delft',
      state: 'ZH',
      postalCode: '2600 AA',
      countryCode: 'NL',
      countryName: 'Netherlands',
      phone: '+31.205550100',
      fax: '+31.205550111',
    };
    expect(readRdapDomain(whole, domain)).toEqual({
      domain,
      handle: 'D1234-EXAMPLE',
      created: {
        original: '2001-02-03T04:05:06Z',
        iso: '2001-02-03T04:05:06Z',
        precision: 'second',
      },
      expires: {
        original: '2030-02-03T04:05:06.789+02:00',
        iso: '2030-02-03T02:05:06Z',
        precision: 'second',
      },
      updated: { original: '2026-01-31', iso: '2026-01-31', precision: 'day' },
      nameServers: ['ns2.host.example', 'ns1.host.example'],
      statuses: ['clientTransferProhibited', 'ok', 'addPeriod', 'serverHold', 'validated'],
      registrar: {
        ianaId: '9999',
        name: 'Example Registrar, Inc.',
        url: 'https://registrar.example',
        rdapServer: 'https://rdap.registrar.example/v1/',
      },
      contacts: {
        registrant,
        administrative: registrant,
        abuse: {
          name: 'Abuse desk',
          phone: '+1.5550100 ext. 7',
          email: 'abuse@registrar.example',
        },
      },
      dnssec: { signed: true, ds: ['12345 13 2 ABCDEF'] },
      redactions: [
        { path: 'contacts.registrant.email', basis: 'rfc9537', reason: 'Policy' },
        { path: 'contacts.registrant.name', basis: 'rfc9537', reason: 'Law' },
        { path: 'contacts.administrative.name', basis: 'text' },
      ],
      privacyService: false,
      referral: { rdapUrl: 'https://rdap.registrar.example/v1/domain/A.EXAMPLE/' },
    });
  });

  it('distinguishes a privacy service from a withheld value', () => {
    const vcardArray = ['vcard', [['fn', {}, 'text', 'Domains By Proxy, LLC']]];
    const entities = [{ roles: ['registrant'], vcardArray }];
    const record = readRdapDomain({ ldhName: domain, entities }, domain);
    expect(record).toMatchObject({ privacyService: true, redactions: [] });
    const marked = [{ roles: ['registrant'], status: ['proxy'] }];
    expect(readRdapDomain({ ldhName: domain, entities: marked }, domain)).toMatchObject({
      privacyService: true,
    });
  });

  it.each([
    ['of another name', { ...whole, ldhName: 'b.example' }],
    ['of another name in U-labels', { ...whole, ldhName: 'ä.example' }],
    ['of another name, which is only in U-labels', { handle: 'D1', unicodeName: 'ä.example' }],
    ['of a text that is not a name', { ...whole, ldhName: 'a.example (variant)' }],
    ['of the suffix', { ...whole, ldhName: 'EXAMPLE' }],
    ['of another kind', { ...whole, objectClassName: 'entity' }],
    ['without members', {}],
    ['without any data of a registration', { objectClassName: 'domain', notices: [] }],
  ])('an object %s is not an answer', (_what, json) => {
    expect(readRdapDomain(json, domain)).toBeUndefined();
  });

  it.each([
    ['http://rdap.registrar.example/domain/a.example', 'application/rdap+json'],
    ['https://10.0.0.1/domain/a.example', 'application/rdap+json'],
    ['https://rdap.registrar.example:8443/domain/a.example', 'application/rdap+json'],
    ['https://registrar.example/', 'text/html'],
    ['javascript:alert(1)', 'application/rdap+json'],
  ])('S59: a related link to %s (%s) is dropped', (href, type) => {
    const json = { ldhName: domain, links: [{ rel: 'related', href, type }] };
    expect(readRdapDomain(json, domain)?.referral).toBeUndefined();
  });

  it.each([
    ['2026-02-31T00:00:00Z', undefined],
    ['0001-01-01T00:00:00Z', undefined],
    ['yesterday', undefined],
    ['2026-01-02 03:04', '2026-01-02T03:04:00Z'],
    ['2026-01-02T03:04:05', '2026-01-02T03:04:05Z'],
    ['2026-01-01T00:30:00+0100', '2025-12-31T23:30:00Z'],
    ['2026-01-02T25:00:00Z', undefined],
    ['2026-01-02T00:00:00+14:00', '2026-01-01T10:00:00Z'],
    ['2026-01-02T00:00:00-24:30', '2026-01-02'],
    ['2026-01-02T00:00:00+01:75', '2026-01-02'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
    ['9999-12-31T23:59:59-05:00', '9999-12-31'],
  ])('the date %s is read as %s', (eventDate, iso) => {
    const json = { ldhName: domain, events: [{ eventAction: 'registration', eventDate }] };
    expect(readRdapDomain(json, domain)?.created?.iso).toBe(iso);
  });

  it('a name may be written in U-labels, or without its suffix', () => {
    const names = [{ ldhName: 'Ä.EXAMPLE.' }, { unicodeName: 'ä.example' }, { ldhName: 'XN--4CA' }];
    for (const given of names) {
      const object = { objectClassName: 'domain', handle: 'D1', ...given };
      expect(readRdapDomain(object, 'xn--4ca.example')?.domain).toBe('xn--4ca.example');
    }
  });

  it('name servers are returned in A-labels, however the registry writes them', () => {
    const nameservers = [{ unicodeName: 'ns1.ä.example' }, { ldhName: 'NS2.Ä.EXAMPLE.' }];
    const record = readRdapDomain({ ldhName: domain, nameservers }, domain);
    expect(record?.nameServers).toEqual(['ns1.xn--4ca.example', 'ns2.xn--4ca.example']);
  });

  it('the latest expiration and change count, in whatever order, and the first registration', () => {
    const events = ['2024-01-01', '2027-01-01', '2025-01-01'].flatMap((eventDate) =>
      ['registration', 'expiration', 'last changed'].map((eventAction) => ({
        eventAction,
        eventDate,
      })),
    );
    expect(readRdapDomain({ ldhName: domain, events }, domain)).toMatchObject({
      created: { iso: '2024-01-01' },
      expires: { iso: '2027-01-01' },
      updated: { iso: '2027-01-01' },
    });
  });

  it('the only name on the card of an organisation is the name of the organisation', () => {
    const of = (...properties: unknown[]) => {
      const vcardArray = ['vcard', properties];
      const entities = [{ roles: ['registrant', 'registrar'], vcardArray }];
      const record = readRdapDomain({ ldhName: 'a.example', entities }, 'a.example');
      return [record?.contacts.registrant, record?.registrar?.name];
    };
    const [name, org] = ['Example B.V.', 'Example Group'];
    const fn = ['fn', {}, 'text', name];
    const kind = ['kind', {}, 'text', 'org'];
    expect(of(kind, fn)).toEqual([{ organization: name }, name]);
    expect(of(kind, fn, ['org', {}, 'text', org])).toEqual([{ name, organization: org }, name]);
    expect(of(['kind', {}, 'text', 'individual'], fn)).toEqual([{ name }, name]);
  });

  it('if a card has several e-mail addresses, possibly as URIs, the first one counts', () => {
    for (const email of [
      ['email', {}, 'uri', 'mailto:zoe@x.example'],
      ['email', {}, 'text', ['zoe@x.example', 'z@x.example']],
      ['email', {}, 'text', 'zoe@x.example', 'z@x.example'],
    ]) {
      const entities = [{ roles: ['registrant'], vcardArray: ['vcard', [email]] }];
      expect(readRdapDomain({ ldhName: domain, entities }, domain)?.contacts).toEqual({
        registrant: { email: 'zoe@x.example' },
      });
    }
  });

  it.each([
    'https://registrar.example/contact?a.example',
    'Contact form at https://registrar.example/contact',
  ])('the web form %j in place of an e-mail address means that it is withheld', (form) => {
    const email = ['email', {}, 'text', form];
    const entities = [{ roles: ['registrant'], vcardArray: ['vcard', [email]] }];
    expect(readRdapDomain({ ldhName: domain, entities }, domain)).toMatchObject({
      contacts: {},
      redactions: [{ path: 'contacts.registrant.email', basis: 'text' }],
    });
  });

  it('the contacts of a seller are not contacts of the name, except for the abuse contact', () => {
    const person = (role: string) => ({
      roles: [role],
      vcardArray: ['vcard', [['fn', {}, 'text', `A seller's ${role}`]]],
    });
    const roles = ['registrant', 'administrative', 'technical', 'billing', 'abuse'];
    for (const seller of ['registrar', 'reseller', 'sponsor']) {
      const entities = [{ roles: [seller], entities: [{ entities: roles.map(person) }] }];
      const contacts = readRdapDomain({ ldhName: domain, entities }, domain)?.contacts;
      expect(contacts).toEqual({ abuse: { name: "A seller's abuse" } });
    }
    const desk = (roles: string[], fn: string) => ({
      roles,
      entities: [{ roles: ['abuse'], vcardArray: ['vcard', [['fn', {}, 'text', fn]]] }],
    });
    const sellers = [desk(['reseller'], "Reseller's"), desk(['registrar'], "Registrar's")];
    expect(readRdapDomain({ ldhName: domain, entities: sellers }, domain)?.contacts).toEqual({
      abuse: { name: "Registrar's" },
    });
    const entities = [{ roles: ['registrant'], entities: [person('administrative')] }];
    expect(readRdapDomain({ ldhName: domain, entities }, domain)?.contacts).toHaveProperty(
      'administrative',
    );
  });

  it('an object that says that the name has no holder is not a record, unless a holder or a delegation contradicts this', () => {
    const object = { objectClassName: 'domain', ldhName: 'a.example', handle: 'D1' };
    const sayings = [
      { status: ['available'] },
      { status: ['Not registered'] },
      { status: 'FREE' },
      { status: ['unassigned'], events: whole.events.slice(0, 1) },
      { errorCode: 404, title: 'Not Found' },
    ];
    for (const said of sayings) {
      expect([said, readRdapDomain({ ...object, ...said }, domain)]).toEqual([said, undefined]);
      const { nameservers } = whole;
      expect(readRdapDomain({ ...object, ...said, nameservers }, domain)).toBeDefined();
    }
    expect(readRdapDomain({ ...object, status: ['active'] }, domain)).toBeDefined();
  });

  it('S67: control characters are removed, including those that change the writing direction', () => {
    const fn = '\u202eelpmaxE\u202c\0 Hol\u001bdings\r\nBcc: x';
    const vcardArray = ['vcard', [['fn', {}, 'text', fn]]];
    const entities = [{ roles: ['registrant'], vcardArray }];
    const { contacts } = readRdapDomain({ ldhName: domain, entities }, domain) ?? {};
    expect(contacts?.registrant?.name).toBe('elpmaxE Hol dings Bcc: x');
  });

  it('S67: texts are well-formed, even where one is cut or has half a surrogate pair', () => {
    const properties = [
      ['fn', {}, 'text', `${'x'.repeat(999)}\u{1f600}`],
      ['org', {}, 'text', 'Half\ud83d'],
    ];
    const entities = [{ roles: ['registrant'], vcardArray: ['vcard', properties] }];
    const json = { ldhName: domain, handle: '\udc00', entities };
    expect(JSON.stringify(readRdapDomain(json, domain))).not.toMatch(/\\ud[89a-f]/);
  });

  it('S69: members and values named like members of Object.prototype pollute nothing', () => {
    const text = `{"ldhName":"${domain}","__proto__":{"polluted":1},
      "entities":[{"roles":["__proto__","constructor","toString"],"__proto__":{"polluted":1},
      "vcardArray":["vcard",[["fn",{"__proto__":{"polluted":1}},"text","x"]]]}],
      "events":[{"eventAction":"constructor","eventDate":"2026-01-01"}],
      "status":["__proto__","constructor"],
      "redacted":[{"name":{"type":"__proto__"}},{"name":{"type":"constructor"}}]}`;
    const record = readRdapDomain(JSON.parse(text) as JsonObject, domain);
    expect(record).toMatchObject({ contacts: {}, redactions: [] });
    expect(record?.statuses).toEqual(['__proto__', 'constructor']);
    expect('polluted' in {}).toBe(false);
  });

  it('reads only a limited part of an endless answer', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => ({
      ldhName: `ns${index}.x.example`,
    }));
    const long = [['fn', {}, 'text', 'y'.repeat(100_000)]];
    let entity: object = { roles: ['abuse'], vcardArray: ['vcard', long] };
    for (let depth = 0; depth < 1_000; depth += 1) entity = { roles: ['x'], entities: [entity] };
    const entities = [entity, { roles: ['registrant'], vcardArray: ['vcard', long] }];
    const record = readRdapDomain({ ldhName: domain, nameservers: many, entities }, domain);
    expect(record?.nameServers).toHaveLength(200);
    expect(record?.contacts.abuse).toBeUndefined();
    expect(record?.contacts.registrant?.name).toHaveLength(1_000);
  });

  it('reads a limited number of entities, however they are spread over the depths', () => {
    let read = 0;
    const entity = (entities: object[]) => ({
      get roles() {
        read += 1;
        return ['abuse'];
      },
      entities,
    });
    const of = (count: number, entities: object[]) =>
      Array.from({ length: count }, () => entity(entities));
    readRdapDomain({ ldhName: domain, entities: of(150, of(150, of(150, []))) }, domain);
    expect(read).toBe(300);
  });

  it('never throws, whatever the answer contains', () => {
    const members = Object.keys(whole) as (keyof typeof whole)[];
    const broken = fc.oneof(
      fc.dictionary(fc.constantFrom(...members, '__proto__', 'port43'), fc.jsonValue()),
      fc
        .tuple(fc.constantFrom(...members), fc.jsonValue())
        .map(([member, value]) => ({ ...whole, [member]: value })),
      fc.jsonValue().map((value) => ({
        ...whole,
        entities: [{ roles: ['registrant', 'registrar'], vcardArray: value, publicIds: value }],
      })),
      fc.array(fc.jsonValue()).map((properties) => ({
        ...whole,
        entities: [{ roles: 'registrant', vcardArray: ['vcard', properties] }],
      })),
      fc.jsonValue().map((value) => ({
        ...whole,
        entities: [{ roles: ['registrant'], jscontact_card: value }, value],
      })),
    );
    fc.assert(
      fc.property(broken, (json) => {
        const record = readRdapDomain(json as JsonObject, domain);
        expect(record === undefined || Array.isArray(record.nameServers)).toBe(true);
      }),
      { numRuns: 300, seed: 20_261_122 },
    );
  });
});
