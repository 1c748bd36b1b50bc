import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeInternet } from '../../apps/simulators/src/internet/fake-internet.js';
import { registrationOf } from '../../apps/simulators/src/registrations/registration.js';
import type { SimulatedInternet } from '../../apps/simulators/src/registry/registry-simulator.js';
import { Customer } from './customer.js';
import { type Deployment, openSolo } from './deployment.js';
import { internetAvailability } from './internet-availability.js';

/** Names whose registries have RDAP. The registries of the names in `PORT43` have only port 43. */
const RDAP = ['published-books.com', 'published-books.org', 'published-books.uk'];
const PORT43 = ['jp', 'it', 'eu', 'dk', 'at', 'se', 'ru'].map((tld) => `published-books.${tld}`);
const SIGNED = [...RDAP, ...PORT43].find((name) => registrationOf(name).signed)!;
const UNSIGNED = [...RDAP, ...PORT43].find((name) => !registrationOf(name).signed)!;
const FREE = ['free-books.com', 'free-books.jp'];
const RESERVED = 'reserved-books.us';
const ADDRESSES = ['8.8.8.8', '193.0.6.139', '2001:4860:4860::8888'];
/** IP addresses of registries that answer only on port 43. */
const RPSL = ['41.188.0.1', '2c0f:fb50::1', '1.1.1.1'];
const WITHOUT_RDAP = ['afrinic', 'apnic'];

const run = promisify(execFile);
/** The number of requests that a trial may make in a minute. */
const QUESTIONS_A_CUSTOMER = 10;

const here = internetAvailability() === undefined ? describe : describe.skip;

here('the product on a private internet', () => {
  let internet: FakeInternet;
  let settings: SimulatedInternet;
  let deployment: Deployment;
  let customer: Customer;
  let asked = 0;

  beforeAll(async () => {
    const domains = [...RDAP, ...PORT43, ...FREE, RESERVED];
    ({ internet, settings } = await FakeInternet.start({
      domains,
      addresses: [...ADDRESSES, ...RPSL],
      withoutRdap: WITHOUT_RDAP,
    }));
    const upstreams = {
      LOOKUP_UPSTREAM_EXCEPTIONS: settings.upstreamExceptions,
      LOOKUP_EXTRA_CA_FILE: settings.caFile,
      LOOKUP_DNS_SERVERS: settings.dnsServers,
    };
    deployment = await openSolo(upstreams, false);
  });

  afterAll(async () => {
    await deployment?.stop();
    await internet?.stop();
  });

  async function ask(path: string) {
    if (asked++ % QUESTIONS_A_CUSTOMER === 0) {
      customer = new Customer(deployment, `internet-${asked}@example.com`);
      await customer.joinWithCredits();
    }
    const answer = await customer.get(`${path}&apiKey=${customer.key}`);
    expect([path, answer.status, answer.body.code]).toEqual([path, 200, undefined]);
    return answer.body;
  }

  const resolver = () => settings.dnsServers.split(':')[0]!;

  /** Returns the data of each record in the form that Debian's dig prints, sorted. */
  async function dig(name: string, type: string): Promise<string[]> {
    const { stdout } = await run('dig', [`@${resolver()}`, '+short', type, name]);
    return stdout.trim().split('\n').toSorted();
  }

  /** Returns a host's answer in the form that Debian's whois prints, without trailing spaces. */
  async function whois(host: string, question: string): Promise<string[]> {
    const [address] = await dig(host, 'A');
    const { stdout } = await run('whois', ['--no-recursion', '-h', address!, '--', question]);
    return linesOf(stdout);
  }

  it.each(RDAP)('WHOIS of %s comes from the RDAP service that IANA names', async (domain) => {
    const body = await ask(`/v2.0/whois/live?domainName=${domain}`);
    const { nameServers, created } = registrationOf(domain);
    expect(body).toMatchObject({
      domain_registered: 'yes',
      create_date: created.toISOString().slice(0, 10),
      name_servers: nameServers,
      meta: { credits_charged: 1 },
    });
    expect(body.provenance.sources[0]).toMatchObject({ protocol: 'rdap', outcome: 'delivered' });
  });

  it.each(PORT43)('WHOIS of %s equals the output of Debian’s whois', async (domain) => {
    const body = await ask(`/v2.0/whois/live?domainName=${domain}`);
    expect(body).toMatchObject({
      domain_registered: 'yes',
      name_servers: registrationOf(domain).nameServers,
    });
    const [source] = body.provenance.sources;
    expect(source).toMatchObject({ protocol: 'whois43', outcome: 'delivered' });
    const [exchange] = internet.exchanges.of(domain);
    const printed = await whois(source.server, exchange!.question.trim());
    expect(linesOf(body.registry_data.whois_raw_registry)).toEqual(printed);
  });

  it('a free name is distinguished from a reserved name over either protocol', async () => {
    for (const domain of FREE) {
      const body = await ask(`/v2.0/whois/live?domainName=${domain}`);
      expect([domain, body.domain_registered]).toEqual([domain, 'no']);
    }
    const body = await ask(`/v2.0/whois/live?domainName=${RESERVED}`);
    expect(body.domain_registered).toBe('restricted');
  });

  it('every record of a name is exactly as dig prints it', async () => {
    const body = await ask(`/v2.0/dns/live?domainName=${SIGNED}&type=all`);
    expect(body.rcode).toBe('noerror');
    for (const type of ['A', 'AAAA', 'NS', 'MX', 'TXT', 'SOA', 'CAA']) {
      const ours: DnsRecord[] = body.dns_records.filter(
        (record: DnsRecord) => record.type === type,
      );
      const texts = ours.map(({ raw_text }) => raw_text.split('\t').slice(4).join(' ')).toSorted();
      expect([type, texts]).toEqual([type, await dig(SIGNED, type)]);
    }
  });

  it('a chain of signatures from the root is verified, and its absence is reported', async () => {
    const authenticated = async (name: string) =>
      (await ask(`/v2.0/dns/live?domainName=${name}&type=A`)).authenticated_data;
    expect([await authenticated(SIGNED), await authenticated(UNSIGNED)]).toEqual([true, false]);
  });

  it.each(ADDRESSES)(
    'IP WHOIS answers about %s, and its host name is as dig prints it',
    async (ip) => {
      const network = await ask(`/v2.0/ip-whois?ip=${ip}`);
      expect(network).toMatchObject({ ip_address: ip, meta: { credits_charged: 1 } });
      const { dns_records } = await ask(`/v2.0/dns/live?ipAddress=${ip}`);
      const { stdout } = await run('dig', [`@${resolver()}`, '+short', '-x', ip]);
      expect(dns_records.map(({ target }: DnsRecord) => `${target}.`)).toEqual([stdout.trim()]);
    },
  );

  it.each([...RPSL.map((ip) => [ip, `ip-whois?ip=${ip}`]), ['AS37100', 'asn-whois?asn=AS37100']])(
    'without RDAP the raw answer about %s equals the text that Debian’s whois prints',
    async (number, path) => {
      const body = await ask(`/v2.0/${path}`);
      const source = body.provenance.sources.at(-1);
      expect(source).toMatchObject({ protocol: 'whois43', outcome: 'delivered' });
      const printed = await whois(source.server, number);
      expect(linesOf(body.whois_raw_response)).toEqual(printed);
      const [abuse] = body.abuse_contacts;
      expect(printed.join(' ')).toContain(`is '${abuse.email}'`);
      expect(body.organization).toMatchObject({ name: 'Example Networks' });
    },
  );

  it('an AS number is found', async () => {
    expect(await ask('/v2.0/asn-whois?asn=AS15169')).toMatchObject({ as_number: 'AS15169' });
  });

  it('a name is available if neither its registry nor its parent zone contains it', async () => {
    const word = async (name: string) =>
      (await ask(`/v2.0/domain/availability?domainName=${name}`)).availability;
    expect(await word(FREE[0]!)).toBe('available');
    expect(await word(RDAP[0]!)).toBe('registered');
    expect(await word(PORT43[0]!)).toBe('registered');
    expect(await word(RESERVED)).toBe('restricted');
  });
});

interface DnsRecord {
  type: string;
  raw_text: string;
  target?: string;
}

function linesOf(text: string): string[] {
  return text
    .trimEnd()
    .split(/\r?\n/)
    .map((one) => one.trimEnd());
}
