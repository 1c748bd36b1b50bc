import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  DNS_REVERSE,
  type DnsReverseAnswer,
  SUBDOMAINS,
  type SubdomainsAnswer,
} from '#libs/contracts';
import { CorpusUnderTest } from '#test/corpus';

const GENERATED = 300;
const SEED = 3;
const AT = '2024-03-01T12:00:00.000Z';

describe('searches of the DNS', () => {
  let corpus: CorpusUnderTest;

  beforeAll(async () => {
    corpus = await CorpusUnderTest.start();
    await corpus.generate(GENERATED, SEED);
  });
  afterAll(() => corpus.stop());

  const column = async (sql: string) =>
    (await corpus.database.query<{ value: string }>(sql)).map(({ value }) => value);

  describe('reverse DNS', () => {
    const found = async (value: string, type: string) =>
      (await corpus.pagesOf<DnsReverseAnswer>(DNS_REVERSE, { value, type })).flatMap(
        ({ domains }) => domains,
      );

    it('finds the names of an address and of a block, with the type in upper or lower case, and counts the names of each address', async () => {
      const current = `from dns_span join domain using (domain_key, name)
        where until is null and rtype = 1 and dropped_at is null`;
      const [address] = await column(
        `select host(ip) as value ${current} group by ip order by count(*) desc, ip limit 1`,
      );
      const names = (await found(address, 'a')).map(({ domain_name }) => domain_name);
      const expected = await column(
        `select distinct on (domain_key, name) name as value ${current} and ip = '${address}'
         order by domain_key, name`,
      );
      expect(names).toEqual(expected);
      const inUpperCase = await found(address, 'A');
      expect(inUpperCase.map(({ domain_name, type }) => [domain_name, type])).toEqual(
        expected.map((name) => [name, 'A']),
      );
      const page = await corpus.answerTo<DnsReverseAnswer>(DNS_REVERSE, {
        value: address,
        type: 'A',
      });
      expect(page.addresses).toEqual([{ ip_address: address, names: expected.length }]);
      const block = `${address.split('.').slice(0, 3).join('.')}.0/24`;
      const within = await found(block, 'a');
      const [count] = await column(
        `select count(distinct (ip, domain_key, name))::text as value ${current} and ip <<= '${block}'`,
      );
      expect(within.length).toBe(Number(count));
    });

    it('finds names by a mail or name server, and by an address of that server', async () => {
      await corpus.record(
        dnsOf('mail-host.com', 'mx1', { type: 'A', value: '198.19.250.1' }),
        dnsOf('mailed-one.com', '', { type: 'MX', value: '10 mx1.mail-host.com' }),
        dnsOf('mailed-two.com', '', { type: 'NS', value: 'mx1.mail-host.com' }),
      );
      const names = async (value: string, type: string) =>
        (await found(value, type)).map(({ domain_name }) => domain_name);
      expect(await names('mx1.mail-host.com', 'mx')).toEqual(['mailed-one.com']);
      expect(await names('198.19.250.1', 'mx')).toEqual(['mailed-one.com']);
      expect(await names('198.19.250.1', 'ns')).toEqual(['mailed-two.com']);
      const until = corpus.clock.now().toISOString();
      const seen = { kind: 'passive', name: 'ns7.mail-host.com', at: AT, until, type: 'A' };
      await corpus.record(
        { ...seen, value: '198.19.250.7' },
        { ...seen, value: '198.19.250.8', until: AT },
        dnsOf('mailed-three.com', '', { type: 'NS', value: 'ns7.mail-host.com' }),
      );
      expect(await names('198.19.250.7', 'ns')).toEqual(['mailed-three.com']);
      expect(await names('198.19.250.8', 'ns')).toEqual([]);
      // The host itself was not queried again.
      const [{ first_seen, last_seen }] = await found('mx1.mail-host.com', 'mx');
      expect(last_seen).toBe(first_seen);
    });

    it('says that there may be more names if an address has more hosts than it follows', async () => {
      const host = (number: number) =>
        dnsOf('many-hosts.com', `mx${number}`, { type: 'A', value: '198.19.250.9' });
      const totals = async () =>
        (
          await corpus.pagesOf<DnsReverseAnswer>(DNS_REVERSE, { value: '198.19.250.9', type: 'mx' })
        ).map(({ paging }) => [paging.total_records, paging.total_is]);
      await corpus.record(
        dnsOf('mailed-four.com', '', { type: 'MX', value: '10 mx1.many-hosts.com' }),
        ...Array.from({ length: 1_000 }, (_, number) => host(number)),
      );
      expect(await totals()).toEqual([[1, 'exact']]);
      await corpus.record(host(1_000));
      expect(await totals()).toEqual([[1, 'at_least']]);
    });

    it('does not list the last records of a dropped name as current', async () => {
      const records = [
        { type: 'A', value: '198.19.253.1' },
        { type: 'NS', value: 'ns1.dropping.example' },
        { type: 'TXT', value: 'verification=dropping123' },
      ];
      for (const name of ['dropped-one.com', 'kept-one.com']) {
        for (const record of records) await corpus.record(dnsOf(name, '', record));
      }
      await corpus.record({
        kind: 'gone',
        name: 'dropped-one.com',
        at: '2024-04-01T00:00:00.000Z',
      });
      const asked = [...records, { type: 'A', value: '198.19.253.0/24' }];
      for (const { type, value } of asked) {
        const list = async (current: string) =>
          corpus.answerTo<DnsReverseAnswer>(DNS_REVERSE, { type, value, current });
        const names = ({ domains }: DnsReverseAnswer) =>
          domains.map(({ domain_name }) => domain_name).toSorted();
        const now = await list('true');
        expect([type, names(now), now.paging.total_records]).toEqual([type, ['kept-one.com'], 1]);
        const ever = await list('false');
        expect(names(ever)).toEqual(['dropped-one.com', 'kept-one.com']);
        const counts = [now, ever].map(({ addresses }) => addresses.map((one) => one.names));
        expect(counts).toEqual(type === 'A' ? [[1], [2]] : [[], []]);
      }
      await corpus.record(dnsOf('dropped-one.com', '', records[0], '2024-05-01T00:00:00.000Z'));
      expect(await found(records[0].value, 'A')).toHaveLength(2);
    });

    it('finds text records by their content, and by an address in one of their SPF ranges', async () => {
      await corpus.record(
        dnsOf('text-one.com', '', { type: 'TXT', value: 'v=spf1 ip4:198.19.251.0/24 -all' }),
        dnsOf('text-two.com', '', { type: 'TXT', value: 'verification=aBC123def' }),
      );
      const names = async (value: string) =>
        (await found(value, 'txt')).map(({ domain_name }) => domain_name);
      for (const value of ['verification=abc123', 'verification=aBC123']) {
        expect(await names(value)).toEqual(['text-two.com']);
      }
      expect(await names('198.19.251.77')).toEqual(['text-one.com']);
      await corpus.record(
        dnsOf('text-three.com', '', { type: 'TXT', value: 'v=spf1 ip4:198.19.252.1 -all' }),
        dnsOf('text-four.com', '', { type: 'TXT', value: 'v=spf1 ip4:198.19.252.10 -all' }),
        dnsOf('text-five.com', '', { type: 'TXT', value: 'v=spf1 ip6:2001:470::1 -all' }),
        dnsOf('text-six.com', '', { type: 'TXT', value: 'v=spf1 ip6:2001:470::15 -all' }),
      );
      expect(await names('198.19.252.1')).toEqual(['text-three.com']);
      expect(await names('198.19.252.10')).toEqual(['text-four.com']);
      expect(await names('2001:470::1')).toEqual(['text-five.com']);
    });

    it('says when a record was last seen, not when it was first found absent', async () => {
      const at = (number: number) => `2024-05-0${number}T00:00:00.000Z`;
      const [old, next] = ['198.19.249.1', '198.19.249.2'].map((value) => ({ type: 'A', value }));
      for (const [number, record] of [old, old, next, next].entries()) {
        await corpus.record(dnsOf('moved-one.com', '', record, at(number + 1)));
      }
      const { domains } = await corpus.answerTo<DnsReverseAnswer>(DNS_REVERSE, {
        value: '198.19.249.0/24',
        type: 'A',
        current: 'false',
      });
      expect(domains).toMatchObject([
        { value: '198.19.249.1', first_seen: at(1), last_seen: at(2) },
        { value: '198.19.249.2', first_seen: at(3), last_seen: at(4) },
      ]);
    });

    it.each([
      ['198.18.0.0/15', 'a', 'must be at most a /16, or a /32 for IPv6'],
      ['example.com', 'a', 'must be an IP address or an address block'],
      ['198.18.0.1', 'cname', 'must be a host name'],
    ])('rejects %s with type %s and says why', async (value, type, message) => {
      expect(await corpus.refusalOf(DNS_REVERSE, { value, type })).toMatchObject({
        errors: [{ message }],
      });
    });
  });

  describe('subdomains', () => {
    const now = () => corpus.clock.now().getTime();
    const daysAgo = (days: number) => new Date(now() - days * 86_400_000).toISOString();

    it('are active if they had an address within a week; otherwise, the answer says since when they have been inactive', async () => {
      const seen = (host: string, days: number, resolved: boolean) => ({
        kind: 'host',
        name: `${host}.hosts-one.com`,
        at: daysAgo(days),
        resolved,
      });
      await corpus.record(
        seen('www', 6, true),
        seen('old', 20, true),
        seen('old', 9, false),
        seen('old', 8, false),
        { kind: 'host', name: 'cert.hosts-one.com', at: daysAgo(1) },
      );
      const asked = { domainName: 'hosts-one.com' };
      const { subdomains } = await corpus.answerTo<SubdomainsAnswer>(SUBDOMAINS, asked);
      expect(subdomains).toMatchObject([
        { subdomain: 'cert.hosts-one.com', status: 'inactive', last_resolved: null },
        {
          subdomain: 'old.hosts-one.com',
          status: 'inactive',
          last_seen: daysAgo(20),
          inactive_from: daysAgo(9),
        },
        { subdomain: 'www.hosts-one.com', status: 'active', inactive_from: null },
      ]);
      for (const [status, count] of [
        ['active', 1],
        ['inactive', 2],
      ] as const) {
        const { paging } = await corpus.answerTo<SubdomainsAnswer>(SUBDOMAINS, {
          ...asked,
          status,
        });
        expect(paging.total_records).toBe(count);
      }
    });

    it('are not listed only because a record of another name leads to them, unless they have an address', async () => {
      const mail = (host: string) => ({ type: 'MX', value: `10 ${host}.hosts-three.com` });
      const of = (host: string, ...records: object[]) => ({
        kind: 'dns',
        name: `${host}.hosts-three.com`,
        at: daysAgo(1),
        types: ['A', 'AAAA'],
        records,
        registered: false,
      });
      await corpus.record({ kind: 'listed', name: 'hosts-three.com', at: daysAgo(9) });
      await corpus.record({
        kind: 'dns',
        name: 'customer-of-three.com',
        at: daysAgo(8),
        types: ['MX'],
        records: ['mx', 'invented', 'new'].map(mail),
      });
      await corpus.record(of('mx', { type: 'A', value: '198.19.253.1' }), of('invented'));
      const asked = { domainName: 'hosts-three.com' };
      const { subdomains } = await corpus.answerTo<SubdomainsAnswer>(SUBDOMAINS, asked);
      expect(subdomains).toMatchObject([
        { subdomain: 'mx.hosts-three.com', status: 'active', first_seen: daysAgo(1) },
      ]);
    });

    it('are marked if their zone has a wildcard, unless they have an address of their own', async () => {
      await corpus.record(
        dnsOf('hosts-two.com', '*', { type: 'A', value: '198.19.252.1' }),
        dnsOf('hosts-two.com', 'any', { type: 'A', value: '198.19.252.1' }),
        dnsOf('hosts-two.com', 'real', { type: 'A', value: '198.19.252.2' }),
      );
      const answer = await corpus.answerTo<SubdomainsAnswer>(SUBDOMAINS, {
        domainName: 'hosts-two.com',
      });
      expect(answer.wildcards).toEqual([{ name: '*.hosts-two.com', addresses: ['198.19.252.1'] }]);
      const asked = { domainName: 'hosts-two.com', mode: 'preview' };
      const preview = await corpus.answerTo<SubdomainsAnswer>(SUBDOMAINS, asked);
      expect([preview.wildcards, preview.subdomains]).toEqual([[], []]);
      expect(answer.subdomains).toMatchObject([
        { subdomain: 'any.hosts-two.com', is_wildcard: true },
        { subdomain: 'real.hosts-two.com', is_wildcard: false },
      ]);
    });
  });

  function dnsOf(name: string, host: string, record: { type: string; value: string }, at = AT) {
    return {
      kind: 'dns',
      name: host === '' ? name : `${host}.${name}`,
      at,
      types: [record.type],
      records: [record],
    };
  }
});
