import { describe, expect, it } from '@jest/globals';
import type { Lookup, RegistrationRecord } from '#libs/resolvers';
import { fixtureLookup } from '../fixtures/fixtures.js';
import { selectFields } from './field-selection.js';
import { publicPath } from './public-path.js';
import { v1Body } from './v1-body.js';
import { WHOIS_LIVE, WHOIS_SECTIONS } from '#libs/contracts';
import { v2Body } from './v2-body.js';
import type { Json } from './whois-body.js';

const at = new Date('2026-11-20T11:42:03Z');
const live = { servedFrom: 'live', ageSeconds: 0 } as const;
const everything = new Set(WHOIS_SECTIONS);

/** The registrar's data about itself, as on port 43. */
const REGISTRAR = {
  ianaId: '9901',
  name: 'Example Registrar One, Inc.',
  whoisServer: 'whois.registrar-one.example',
  url: 'https://www.registrar-one.example',
  email: 'abuse@registrar-one.example',
  phone: '+1.5550100100',
};

/** Returns the lookup of a registered name on port 43, answered first by the registry, then by the registrar. */
function port43Lookup(members: Partial<RegistrationRecord> = {}): Lookup {
  const lookup = fixtureLookup('registered.test', at);
  const [registry, registrar] = lookup.sources;
  return {
    ...lookup,
    record: { ...lookup.record!, registrar: REGISTRAR, ...members },
    sources: [
      { ...registry!, protocol: 'whois43', server: 'whois.registry.test', raw: 'registry text' },
      { ...registrar!, protocol: 'whois43', server: 'whois.registrar.test', raw: 'registrar text' },
    ],
  };
}

it('the documented example equals the answer of the fixture', () => {
  const sections = new Set(WHOIS_LIVE.parameters.include.default);
  const [{ answer }] = WHOIS_LIVE.examples;
  expect(v2Body(fixtureLookup('registered.test', at), live, sections)).toEqual(answer);
});

describe('the provenance of an answer', () => {
  it('names the error of a failed source next to a successful source, and marks a truncated answer', () => {
    const lookup = port43Lookup();
    const [registry, registrar] = lookup.sources;
    const silent = { ...registry!, outcome: 'timeout', error: 'first_byte_timeout' } as const;
    const cut = { outcome: 'partial', truncated: true, error: 'size_cap' } as const;
    const sources = [silent, { ...registry!, id: 's2' }, { ...registrar!, id: 's3', ...cut }];
    const body = v2Body({ ...lookup, outcome: 'partial', sources }, live, everything);
    const told = (body.provenance as { sources: Json[] }).sources.map(
      ({ id, outcome, error, truncated }) => ({ id, outcome, error, truncated }),
    );
    expect(told).toEqual([
      { id: 's1', outcome: 'timeout', error: 'first_byte_timeout' },
      { id: 's2', outcome: 'delivered' },
      { id: 's3', outcome: 'partial', error: 'size_cap', truncated: true },
    ]);
  });
});

describe('version 1 of the answer', () => {
  it('has exactly the keys that its clients know', () => {
    const lookup = port43Lookup();
    const contacts = lookup.record!.contacts;
    contacts.reseller = {
      name: 'Example Reseller',
      email: 'help@reseller.example',
      phone: '+1.5550100999',
    };
    contacts.billing = { ...contacts.registrant, fax: '+1.5550100124' };
    const body = v1Body(lookup);
    expect(Object.keys(body)).toEqual([
      'status',
      'domain_name',
      'query_time',
      'whois_server',
      'domain_registered',
      'create_date',
      'update_date',
      'expiry_date',
      'domain_registrar',
      'reseller_contact',
      'registrant_contact',
      'administrative_contact',
      'technical_contact',
      'billing_contact',
      'name_servers',
      'domain_status',
      'whois_raw_domain',
      'registry_data',
    ]);
    expect(Object.keys(body.domain_registrar as Json)).toEqual([
      'iana_id',
      'registrar_name',
      'whois_server',
      'website_url',
      'email_address',
      'phone_number',
    ]);
    expect(Object.keys(body.reseller_contact as Json)).toEqual(['name', 'email_address', 'phone']);
    expect(Object.keys(body.billing_contact as Json)).toEqual([
      'name',
      'company',
      'street',
      'city',
      'state',
      'zip_code',
      'country_name',
      'country_code',
      'email_address',
      'phone',
      'fax',
      'mailing_address',
    ]);
    expect(Object.keys(body.registry_data as Json)).toEqual([
      'domain_name',
      'query_time',
      'whois_server',
      'domain_registered',
      'create_date',
      'update_date',
      'expiry_date',
      'domain_registrar',
      'name_servers',
      'domain_status',
      'whois_raw_registery',
    ]);
  });

  it('prefers the registrar’s text, and keeps the registry’s text separately', () => {
    const body = v1Body(port43Lookup());
    expect(body.whois_raw_domain).toBe('registrar text');
    expect(body.registry_data).toMatchObject({
      whois_server: 'whois.registry.test',
      whois_raw_registery: 'registry text',
    });
  });

  it('says of an unregistered name only that it is not registered', () => {
    expect(v1Body(fixtureLookup('available.test', at))).toEqual({
      status: true,
      domain_name: 'available.test',
      query_time: '2026-11-20 11:42:03',
      whois_server: 'https://rdap.registry.test/',
      domain_registered: 'no',
    });
  });
});

describe('version 2 of the answer', () => {
  it('has only days in the legacy fields, but also the exact times', () => {
    const body = v2Body(fixtureLookup('registered.test', at), live, everything);
    expect(body).toMatchObject({
      status: true,
      domain_name: 'registered.test',
      domain_unicode: 'registered.test',
      query_time: '2026-11-20 11:42:03',
      whois_server: 'https://rdap.registry.test/',
      domain_registered: 'yes',
      secure_dns: true,
      domain_handle: '1000001_DOMAIN_TEST-SIM',
      create_date: '2001-05-09',
      update_date: '2025-05-10',
      expiry_date: '2031-05-09',
      dates: {
        created: '2001-05-09T09:30:00Z',
        updated: '2025-05-10T11:00:00Z',
        expires: '2031-05-09T09:30:00Z',
        expires_published: true,
      },
      domain_registrar: {
        iana_id: '9901',
        registrar_name: 'Example Registrar One, Inc.',
        rdap_server: 'https://rdap.registrar-one.example/',
      },
      registrant_contact: {
        handle: 'SIM1001',
        company: 'Example Holdings',
        country_name: 'United States',
        mailing_address: '1 Example Street, Springfield, CA, 90001, United States',
      },
      domain_status: ['clienttransferprohibited', 'clientdeleteprohibited'],
      name_servers: ['ns1.dns-one.example', 'ns2.dns-one.example'],
    });
  });

  it('shows a date without a time if the registry publishes only days', () => {
    const created = { original: '30-Aug-2008', iso: '2008-08-30', precision: 'day' as const };
    const body = v2Body(port43Lookup({ created, expires: undefined }), live, everything);
    expect(body.create_date).toBe('2008-08-30');
    expect(body.dates).toEqual({
      created: '2008-08-30',
      updated: '2025-05-10T11:00:00Z',
      expires_published: false,
    });
    expect(body).not.toHaveProperty('expiry_date');
  });

  it('names the source of each field, and both sides of a contradiction', () => {
    const body = v2Body(fixtureLookup('conflict.test', at), live, everything);
    expect(body.provenance).toMatchObject({
      served_from: 'live',
      fetched_at: '2026-11-20T11:42:03.000Z',
      age_s: 0,
      sources: [
        {
          id: 's1',
          protocol: 'rdap',
          role: 'registry',
          server: 'https://rdap.registry.test/',
          http_status: 200,
          latency_ms: 42,
        },
        { id: 's2', role: 'registrar' },
      ],
      fields: { expiry_date: 's1', 'registrant_contact.name': 's2' },
      conflicts: [
        {
          path: 'expiry_date',
          chosen: 's1',
          values: { s1: '2031-05-09', s2: '2031-05-10' },
        },
      ],
    });
    expect(body.expiry_date).toBe('2031-05-09');
  });

  it('names the source of the shown name of a registrar, not that of its organisation', () => {
    const lookup = fixtureLookup('registered.test', at);
    const fields = { 'registrar.name': 's1', 'registrar.organization': 's2' };
    const { provenance } = v2Body({ ...lookup, fields }, live, everything);
    expect(provenance).toMatchObject({ fields: { 'domain_registrar.registrar_name': 's1' } });
  });

  it('marks a withheld value as withheld, and says how the service knows', () => {
    const body = v2Body(fixtureLookup('redacted.test', at), live, everything);
    expect(body.registrant_contact).toEqual({
      state: 'CA',
      country_code: 'US',
      country_name: 'United States',
      mailing_address: 'CA, United States',
    });
    expect(body.redaction).toContainEqual({
      path: 'registrant_contact.email_address',
      state: 'redacted',
      basis: 'rfc9537',
      reason: 'Server policy',
    });
    expect(JSON.stringify(body)).not.toContain('Alex Sample');
  });

  it('omits the members that only the gateway can fill in', () => {
    const body = v2Body(fixtureLookup('registered.test', at), live, everything);
    expect(body).not.toHaveProperty('meta');
    const text = JSON.stringify(selectFields(body, ['no_such_member']));
    expect(JSON.parse(`${text.slice(0, -1)},"meta":{}}`)).toEqual({ status: true, meta: {} });
  });

  it('includes the objects of RDAP servers, raw texts and provenance only if requested', () => {
    const lookup = port43Lookup();
    lookup.sources.push({
      ...lookup.sources[0]!,
      id: 's3',
      protocol: 'rdap',
      raw: '{"handle":"H1"}',
    });
    expect(v2Body(lookup, live, new Set(['rdap'])).rdap).toEqual({ s3: { handle: 'H1' } });
    expect(v2Body(lookup, live, new Set(['raw'])).whois_raw_domain).toBe('registrar text');
    const bare = v2Body(lookup, live, new Set());
    for (const member of ['rdap', 'whois_raw_domain', 'provenance'])
      expect(bare).not.toHaveProperty(member);
    expect(bare.registry_data).not.toHaveProperty('whois_raw_registry');
  });

  it('shows an internationalised name in both forms', () => {
    const lookup = { ...fixtureLookup('registered.test', at), domain: 'xn--bcher-kva.test' };
    expect(v2Body(lookup, live, everything)).toMatchObject({
      domain_name: 'xn--bcher-kva.test',
      domain_unicode: 'bücher.test',
    });
  });

  it('marks a reserved name as restricted, and says why', () => {
    const { record, ...rest } = fixtureLookup('registered.test', at);
    const reserved: Lookup = {
      ...rest,
      outcome: 'restricted',
      record: { ...record!, contacts: {}, restriction: 'reserved' },
    };
    expect(v2Body(reserved, live, everything)).toMatchObject({
      domain_registered: 'restricted',
      restriction: 'reserved',
    });
  });
});

describe('a selection of fields', () => {
  const body = { status: true, a: { b: { c: 1, d: 2 }, e: 3 }, list: [{ x: 1 }] };

  it('keeps the members that the paths name, and always the status', () => {
    expect(selectFields(body, ['a.b.c', 'list'])).toEqual({
      status: true,
      a: { b: { c: 1 } },
      list: [{ x: 1 }],
    });
    expect(selectFields(body, ['a', 'a.b.c'])).toEqual({ status: true, a: body.a });
    expect(selectFields(body, ['a.b.c', 'a.e'])).toEqual({
      status: true,
      a: { b: { c: 1 }, e: 3 },
    });
    expect(selectFields(body, ['nothing', 'a.nothing', 'list.x'])).toEqual({ status: true });
  });

  it('S69: a path through the prototype selects nothing and changes nothing', () => {
    const hostile = JSON.parse(
      '{"status":true,"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true}}}',
    );
    for (const path of [
      '__proto__',
      '__proto__.polluted',
      'constructor.prototype',
      'a.__proto__.polluted',
      'toString',
    ]) {
      expect(JSON.stringify(selectFields(hostile, [path]))).toBe('{"status":true}');
    }
    expect(({} as Json).polluted).toBeUndefined();
  });
});

describe('the public name of a record path', () => {
  it.each([
    ['expires', 'expiry_date'],
    ['registrar.ianaId', 'domain_registrar.iana_id'],
    ['contacts.registrant.postalCode', 'registrant_contact.zip_code'],
    ['contacts.abuse', 'abuse_contact'],
    ['contacts.reseller.organization', 'reseller_contact.name'],
    ['dnssec.ds', 'secure_dns'],
    ['constructor', 'constructor'],
  ])('%s is %s', (path, name) => expect(publicPath(path)).toBe(name));
});
