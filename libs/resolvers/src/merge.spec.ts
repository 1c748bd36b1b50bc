import { describe, expect, it } from '@jest/globals';
import { mergeSources } from './merge.js';
import type { DateValue, RegistrationRecord, SourceAnswer } from './record.js';

function source(
  id: string,
  role: SourceAnswer['role'],
  record?: Partial<RegistrationRecord>,
): SourceAnswer {
  const nothing = {
    nameServers: [],
    statuses: [],
    contacts: {},
    redactions: [],
    privacyService: false,
  };
  return {
    id,
    role,
    protocol: 'rdap',
    server: `https://rdap.${role}.example/`,
    fetchedAt: new Date('2026-11-21T10:00:00Z'),
    latencyMs: 1,
    outcome: record === undefined ? 'not_registered' : 'delivered',
    ...(record === undefined ? {} : { record: { ...nothing, ...record } }),
  };
}

const day = (iso: string): DateValue => ({ original: iso, iso, precision: 'day' });
const second = (iso: string): DateValue => ({ original: iso, iso, precision: 'second' });

const registry = source('s1', 'registry', {
  domain: 'a.example',
  created: second('2001-02-03T04:05:06Z'),
  expires: second('2030-02-03T04:05:06Z'),
  updated: day('2026-01-01'),
  nameServers: ['ns1.host.example', 'ns2.host.example'],
  statuses: ['ok'],
  dnssec: { signed: true, ds: ['1 13 2 AA'] },
  registrar: { ianaId: '9999', name: 'Example Registrar, Inc.', url: 'http://old.example' },
  contacts: { registrant: { organization: 'Example Holdings', countryCode: 'NL' } },
  redactions: [
    { path: 'contacts.registrant.email', basis: 'rfc9537', reason: 'Policy' },
    { path: 'contacts.technical.name', basis: 'text' },
  ],
});
const registrar = source('s2', 'registrar', {
  domain: 'a.example',
  created: day('2001-02-03'),
  expires: day('2031-02-03'),
  updated: day('2026-05-05'),
  nameServers: ['ns2.host.example', 'ns1.host.example'],
  statuses: ['clientHold'],
  dnssec: { signed: false, ds: [] },
  registrar: { ianaId: '8888', name: 'EXAMPLE REGISTRAR', url: 'https://registrar.example' },
  contacts: {
    registrant: { organization: 'Example Holdings BV', email: 'owner@holdings.example' },
    technical: { name: 'Jo Example' },
  },
  privacyService: true,
});

describe('mergeSources', () => {
  const merged = mergeSources([registry, registrar]);

  it('a name that its registry calls inactive has no name servers, whatever a registrar lists', () => {
    const listed = source('s2', 'registrar', { nameServers: ['old.example'], statuses: ['ok'] });
    const of = (statuses: string[]) =>
      mergeSources([source('s1', 'registry', { domain: 'a.example', statuses }), listed])?.record;
    expect(of(['clientHold', 'inactive'])?.nameServers).toEqual([]);
    expect(of(['ok'])?.nameServers).toEqual(['old.example']);
  });

  it('dates, statuses, name servers and DNSSEC are taken from the registry', () => {
    expect(merged?.record).toMatchObject({
      created: { iso: '2001-02-03T04:05:06Z' },
      expires: { iso: '2030-02-03T04:05:06Z' },
      updated: { iso: '2026-01-01' },
      nameServers: ['ns1.host.example', 'ns2.host.example'],
      statuses: ['ok'],
      dnssec: { signed: true },
    });
    expect(merged?.fields).toMatchObject({ created: 's1', statuses: 's1', dnssec: 's1' });
  });

  it("each contact as a whole, and the registrar's URL, are taken from the registrar; its name and IANA id from the registry", () => {
    expect(merged?.record.contacts.registrant).toEqual({
      organization: 'Example Holdings BV',
      email: 'owner@holdings.example',
    });
    expect(merged?.record.registrar).toEqual({
      ianaId: '9999',
      name: 'Example Registrar, Inc.',
      url: 'https://registrar.example',
    });
    expect(merged?.fields).toMatchObject({
      'contacts.registrant.email': 's2',
      'registrar.ianaId': 's1',
      'registrar.url': 's2',
      privacyService: 's2',
    });
  });

  it('a contact is taken from the registry if the registrar withholds all but its handle and country', () => {
    const contacts = { registrant: { handle: 'C2', countryCode: 'DE' } };
    const { record, fields, conflicts } =
      mergeSources([registry, source('s2', 'registrar', { contacts })]) ?? {};
    expect(record?.contacts.registrant).toEqual(registry.record?.contacts.registrant);
    expect(fields?.['contacts.registrant.countryCode']).toBe('s1');
    expect(conflicts).toEqual([
      { path: 'contacts.registrant.countryCode', chosen: 's1', values: { s1: 'NL', s2: 'DE' } },
    ]);
  });

  it('only contradicting values of sources are listed, with the chosen source', () => {
    expect(merged?.conflicts).toEqual([
      { path: 'expires', chosen: 's1', values: { s1: '2030-02-03', s2: '2031-02-03' } },
      { path: 'statuses', chosen: 's1', values: { s1: 'ok', s2: 'clientHold' } },
      { path: 'dnssec', chosen: 's1', values: { s1: 'signed', s2: 'unsigned' } },
      { path: 'registrar.ianaId', chosen: 's1', values: { s1: '9999', s2: '8888' } },
      {
        path: 'contacts.registrant.organization',
        chosen: 's2',
        values: { s2: 'Example Holdings BV', s1: 'Example Holdings' },
      },
    ]);
  });

  it('different DS records are a conflict; DS records that only one source publishes are not', () => {
    const of = (...ds: string[]) => {
      const other = source('s2', 'registrar', { dnssec: { signed: true, ds } });
      return mergeSources([registry, other])?.conflicts.map(({ path }) => path);
    };
    expect(of()).toEqual([]);
    expect(of('1 13 2 aa')).toEqual([]);
    expect(of('2 13 2 BB')).toEqual(['dnssec']);
  });

  it('a value that one source publishes is not reported as withheld by the other', () => {
    expect(merged?.record.redactions).toEqual([]);
    const alone = mergeSources([registry])?.record.redactions.map(({ path }) => path);
    expect(alone).toEqual(['contacts.registrant.email', 'contacts.technical.name']);
  });

  it('the order in which the sources were queried has no effect', () => {
    expect(mergeSources([registrar, registry])).toEqual(merged);
  });

  it('data that the registry lacks is taken from the registrar', () => {
    const thin = source('s1', 'registry', { domain: 'a.example' });
    const { record, fields } = mergeSources([thin, registrar]) ?? {};
    expect(record).toMatchObject({ expires: { iso: '2031-02-03' }, statuses: ['clientHold'] });
    expect(fields).toMatchObject({ domain: 's1', expires: 's2', statuses: 's2' });
  });

  it('a registrar without data does not change the registry’s data', () => {
    expect(mergeSources([registry, source('s2', 'registrar')])).toEqual(mergeSources([registry]));
  });

  it('without any record the result is empty', () => {
    expect(mergeSources([])).toBeUndefined();
    expect(mergeSources([source('s1', 'registry')])).toBeUndefined();
  });

  it('leaves the sources unchanged', () => {
    const before = structuredClone([registry, registrar]);
    mergeSources([registry, registrar]);
    expect([registry, registrar]).toEqual(before);
  });
});
