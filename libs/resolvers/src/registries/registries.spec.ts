import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLOSED_PORT43, CORRECTED_PORT43, DEAD_HOSTS, RDAP_BESIDE_IANA } from './corrections.js';
import { deriveTables, tablesText, writeTables } from './derivation.js';
import { registryChanges } from './registry-changes.js';
import { Registries, type RegistryTables } from './registries.js';
import vendored from './tables.json' with { type: 'json' };

const tables: RegistryTables = {
  publishedOn: '2026-01-10',
  portsReadOn: '2025-12-01',
  rdap: {
    'https://rdap.nic.example/': ['example', 'co.test', 'net.test'],
    'http://rdap.plain.example/': ['plain'],
    'https://rdap.of-com.example/': ['com'],
  },
  whois: {
    'whois.nic.test': ['test'],
    'whois.centralnic.com': ['uk.com'],
    'whois.co.test.example': ['co.test', 'co.example'],
    'whois.dotmobiregistry.net': ['mobi'],
  },
  tlds: ['com', 'example', 'mobi', 'plain', 'test'],
};

const folder = mkdtempSync(join(tmpdir(), 'registries-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Lie {
  rdapUrl?: string;
  whoisHost?: string;
  publication?: string;
}

function sources(count: number, lie: Lie = {}): string {
  const rdapUrl = lie.rdapUrl ?? 'https://rdap.nic.example/';
  const host = lie.whoisHost ?? 'whois.nic.example';
  const suffixes = Array.from({ length: count }, (_, index) => `t${index}`);
  const file = (name: string, content: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(content));
  file('iana-rdap-dns.json', {
    publication: lie.publication ?? '2026-02-03T19:00:02Z',
    services: [
      [suffixes, ['http://rdap.nic.example/', rdapUrl]],
      [['plain'], ['http://rdap.plain.example/']],
    ],
  });
  file('whois-servers-tld.json', {
    _: { updated: '2025-10-15 09:25:00 UTC' },
    ...Object.fromEntries(suffixes.map((suffix) => [suffix, { host }])),
    gone: { host },
    info: { host },
    mobi: { host: 'whois.dotmobiregistry.net' },
    paper: { adapter: 'web' },
  });
  file('iana-tlds.json', { tlds: [...suffixes, 'info', 'mobi', 'paper', 'plain'] });
  return folder;
}

const registries = new Registries(tables);

describe('Registries', () => {
  it('S60: the longest matching suffix decides which service is queried', () => {
    expect(registries.route('a.example')).toEqual({
      tld: 'example',
      rdapBaseUrl: 'https://rdap.nic.example/',
    });
    expect(registries.route('a.co.test')).toMatchObject({
      rdapBaseUrl: 'https://rdap.nic.example/',
      whoisServer: 'whois.co.test.example',
    });
    expect(registries.route('a.xco.test')).toEqual({ tld: 'test', whoisServer: 'whois.nic.test' });
  });

  it('the registry above a suffix is not queried if the suffix has a registry of its own, whatever its protocol', () => {
    expect(registries.route('a.co.example')).toEqual({
      tld: 'example',
      whoisServer: 'whois.co.test.example',
    });
    expect(registries.route('a.net.test')).toEqual({
      tld: 'test',
      rdapBaseUrl: 'https://rdap.nic.example/',
    });
  });

  it('S60: a dead host, or a service without TLS, is not queried, whatever a table says', () => {
    expect(registries.route('a.mobi').reason).toContain('no longer belongs to its registry');
    for (const name of ['a.mobi', 'a.plain']) {
      expect(registries.route(name)).toEqual({ tld: name.slice(2), reason: expect.any(String) });
    }
  });

  it('a name below a second-level registry is looked up at that registry, not at the registry above it', () => {
    expect(registries.route('a.uk.com')).toEqual({
      tld: 'com',
      whoisServer: 'whois.centralnic.com',
    });
    expect(registries.route('uk.com')).toEqual({
      tld: 'com',
      rdapBaseUrl: 'https://rdap.of-com.example/',
    });
  });

  it.each([
    ['a.ac.uk', { whoisServer: 'whois.nic.ac.uk' }],
    ['a.gov.uk', { whoisServer: 'whois.gov.uk' }],
    ['a.edu.cn', { whoisServer: 'whois.edu.cn' }],
    ['a.nhs.uk', { reason: expect.stringContaining('The registry of .nhs.uk publishes no') }],
    ['a.gub.uy', { reason: expect.stringContaining('The registry of .gub.uy publishes no') }],
    ['a.com.uy', { reason: expect.stringContaining('The registry of .com.uy publishes no') }],
    ['a.gc.ca', { reason: expect.stringContaining('The registry of .gc.ca publishes no') }],
    ['a.police.uk', { reason: expect.stringContaining('The registry of .police.uk publishes no') }],
    ['a.ca.us', { reason: expect.stringContaining('The registry of .ca.us publishes no') }],
    ['a.k12.tx.us', { reason: expect.stringContaining('The registry of .k12.tx.us publishes no') }],
    ['a.edu.ar', { reason: expect.stringContaining('The registry of .edu.ar publishes no') }],
    ['a.ac.be', { reason: expect.stringContaining('The registry of .ac.be publishes no') }],
    ['a.aland.fi', { reason: expect.stringContaining('The registry of .aland.fi publishes no') }],
    ['a.gov.ie', { reason: expect.stringContaining('The registry of .gov.ie publishes no') }],
    ['a.us', { whoisServer: 'whois.nic.us' }],
  ])('%s is looked up only at a registry that knows names below its suffix', (name, to) => {
    const tld = name.slice(name.lastIndexOf('.') + 1);
    expect(new Registries(vendored).route(name)).toEqual({ tld, ...to });
  });

  it('the reason says whether a top-level domain does not exist or has no service', () => {
    expect(registries.route('a.nosuch').reason).toContain('There is no top-level domain');
    expect(registries.route('a.plain').reason).toContain('publishes no machine-readable');
    expect(registries.coverage()).toEqual({ tlds: 5, rdap: 2, whois: 1, unsupported: 2 });
  });

  it('the reason says that a name under .test is not a fixture', () => {
    const real = new Registries(vendored);
    expect(real.route('foo.test').reason).toContain('not a fixture');
  });

  it('S60: tables that are outdated or have no date are reported as too old', () => {
    const on = (day: string) => registries.age(new Date(day));
    expect(on('2026-01-20')).toEqual({ rdapDays: 10, whoisDays: 50, isTooOld: false });
    expect(on('2027-01-20')).toMatchObject({ isTooOld: true });
    const undated = new Registries({ ...tables, publishedOn: '' });
    expect(undated.age(new Date('2026-01-20'))).toMatchObject({ isTooOld: true });
  });

  it('S60: the vendored tables contain their dates, and none of the dead hosts', () => {
    expect(vendored.publishedOn).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(vendored.portsReadOn).toMatch(/^20\d\d-\d\d-\d\d$/);
    const hosts = Object.keys(vendored.whois);
    expect(hosts.filter((host) => DEAD_HOSTS.has(host))).toEqual([]);
    const suffixes = Object.values(vendored.whois).flat();
    expect(suffixes.filter((suffix) => CLOSED_PORT43.has(suffix))).toEqual([]);
    const urls = Object.keys(vendored.rdap);
    expect(urls.filter((url) => !/^https:\/\/[a-z0-9.-]+(:443)?\/([^?#]*\/)?$/.test(url))).toEqual(
      [],
    );
  });

  it('S60: the vendored tables contain all corrected hosts, and none below a domain that changed hands', () => {
    const hosts: Readonly<Record<string, readonly string[]>> = vendored.whois;
    const lacking = Object.entries(CORRECTED_PORT43).filter(
      ([suffix, host]) => hosts[host]?.includes(suffix) !== true,
    );
    expect(lacking).toEqual([]);
    const urls: Readonly<Record<string, readonly string[]>> = vendored.rdap;
    for (const [suffix, url] of Object.entries(RDAP_BESIDE_IANA)) {
      expect(urls[url]).toContain(suffix);
    }
    const real = new Registries(vendored);
    expect(real.route('a.ga')).toEqual({ tld: 'ga', whoisServer: 'whois.nic.ga' });
    expect(real.route('a.cf').reason).toContain('publishes no machine-readable');
  });

  it('S60: the vendored tables have a service for 94% of top-level domains', () => {
    const { tlds, unsupported } = Registries.vendored().coverage();
    expect(tlds).toBeGreaterThan(1_400);
    expect(unsupported / tlds).toBeLessThan(0.06);
  });
});

describe('deriving the tables', () => {
  it('keeps https services, live hosts and delegated top-level domains', () => {
    const target = join(folder, 'derived.json');
    writeTables(sources(3), target);
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({
      publishedOn: '2026-02-03',
      portsReadOn: '2025-10-15',
      rdap: {
        'https://rdap.nic.ch/': ['ch'],
        'https://rdap.denic.de/': ['de'],
        'https://rdap.identitydigital.services/rdap/': ['ac', 'io', 'me', 'sh'],
        'https://rdap.nic.example/': ['t0', 't1', 't2'],
        'https://rdap.nic.li/': ['li'],
      },
      whois: { 'whois.nic.example': ['t0', 't1', 't2'] },
      tlds: ['info', 'mobi', 'paper', 'plain', 't0', 't1', 't2'],
    });
  });

  it('accepts IANA’s own files, and lists the changes', () => {
    const before = deriveTables(sources(3));
    const own = mkdtempSync(join(folder, 'iana-'));
    writeFileSync(join(own, 'tlds-alpha-by-domain.txt'), '# Version 1\nT0\nT1\nXN--T3\n');
    const services = [
      [['t0'], ['https://rdap.nic.example/']],
      // The path of an object is appended, so a missing slash would change the host.
      [['xn--t3'], ['https://rdap.other.example']],
    ];
    const published = { publication: '2026-03-01T00:00:00Z', services };
    writeFileSync(join(own, 'dns.json'), JSON.stringify(published));
    const hosts = { t0: { host: 'whois.nic.example' }, t1: { host: 'whois.other.example' } };
    writeFileSync(join(own, 'whois-servers-tld.json'), JSON.stringify(hosts));
    expect(registryChanges(before, deriveTables(own))).toEqual([
      '+ .xn--t3',
      ...['info', 'mobi', 'paper', 'plain', 't2'].map((tld) => `- .${tld}`),
      '- .t1 rdap https://rdap.nic.example/',
      '- .t2 rdap https://rdap.nic.example/',
      '+ .xn--t3 rdap https://rdap.other.example/',
      '~ .t1 whois43 whois.nic.example -> whois.other.example',
      '- .t2 whois43 whois.nic.example',
    ]);
    expect(registryChanges(before, before)).toEqual([]);
  });

  it('operators can load a table that they derived, and any other file is rejected', () => {
    const file = join(folder, 'loaded.json');
    writeFileSync(file, tablesText(tables));
    expect(Registries.fromFile(file).route('a.co.test')).toEqual(registries.route('a.co.test'));
    writeFileSync(file, '{"tlds":["com"]}');
    expect(() => Registries.fromFile(file)).toThrow('no tables');
  });

  it('S60: a table that lost more than a tenth of its entries is refused, and the old one is kept', () => {
    const target = join(folder, 'kept.json');
    writeTables(sources(100), target);
    const before = readFileSync(target, 'utf8');
    expect(() => writeTables(sources(80), target)).toThrow('refused');
    expect(readFileSync(target, 'utf8')).toBe(before);
    expect(() => writeTables(sources(95), target)).not.toThrow();
  });

  it.each([
    [
      'moves more than a tenth of its suffixes to another service',
      { rdapUrl: 'https://rdap.other.example/' },
      'elsewhere',
    ],
    ['sends port 43 elsewhere', { whoisHost: 'whois.other.example' }, 'elsewhere'],
    ['is older than our tables', { publication: '2026-02-02T19:00:02Z' }, 'refused'],
  ])('S60: a source that %s is rejected, and the old table is kept', (_what, lie, said) => {
    const target = join(folder, 'believed.json');
    rmSync(target, { force: true });
    writeTables(sources(100), target);
    const before = readFileSync(target, 'utf8');
    expect(() => writeTables(sources(100, lie), target)).toThrow(said);
    expect(readFileSync(target, 'utf8')).toBe(before);
  });

  it.each([
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://localhost/',
    'https://rdap.nic.example:8443/',
    'https://user@rdap.nic.example/',
    'https://2130706433/',
    'not a url',
  ])('S60: an RDAP service at %j is not accepted from any source', (rdapUrl) => {
    const target = join(folder, 'strange.json');
    rmSync(target, { force: true });
    writeTables(sources(3, { rdapUrl }), target);
    const { rdap } = JSON.parse(readFileSync(target, 'utf8')) as RegistryTables;
    expect(Object.values(rdap).flat().toSorted()).toEqual(Object.keys(RDAP_BESIDE_IANA));
  });

  it.each(['127.0.0.1', 'localhost', 'whois.nic.example:25', 'whois.nic.example/x', 'a b.example'])(
    'S60: a port-43 host %j is not accepted from any source',
    (whoisHost) => {
      const target = join(folder, 'strange.json');
      rmSync(target, { force: true });
      writeTables(sources(3, { whoisHost }), target);
      const { whois } = JSON.parse(readFileSync(target, 'utf8')) as RegistryTables;
      expect(whois).toEqual({});
    },
  );
});
