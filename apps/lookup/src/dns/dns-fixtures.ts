import type { DnsLookup, DnsRecord, DnsType } from '#libs/resolvers';

const NAME = 'registered.test';
/** The fixtures that share the same DNS records, whatever a registry answers about them. */
const DELEGATED = [NAME, 'redacted.test', 'conflict.test', 'throttled.test'];
const TTL_SECONDS = 300;

const RECORDS: DnsRecord[] = [
  { type: 'A', address: '192.0.2.1' },
  { type: 'AAAA', address: '2001:db8::1' },
  { type: 'NS', target: 'ns1.dns-one.example' },
  { type: 'NS', target: 'ns2.dns-one.example' },
  { type: 'MX', priority: 10, exchange: 'mail.registered.test' },
  { type: 'TXT', strings: ['v=spf1 ip4:192.0.2.0/24 -all'] },
  { type: 'SPF', strings: ['v=spf1 ip4:192.0.2.0/24 -all'] },
  {
    type: 'SOA',
    mname: 'ns1.dns-one.example',
    rname: 'hostmaster.registered.test',
    serial: 2026112201,
    refresh: 7200,
    retry: 3600,
    expire: 1209600,
    minimum: 300,
  },
  { type: 'CAA', flags: 0, tag: 'issue', value: 'ca.example' },
].map((data) => ({ name: NAME, ttlSeconds: TTL_SECONDS, ...data }) as DnsRecord);

const POINTER: DnsRecord = {
  name: '1.2.0.192.in-addr.arpa',
  ttlSeconds: TTL_SECONDS,
  type: 'PTR',
  target: NAME,
};

/** Returns the fixture answer of `dns.live`; other names under `.test` do not exist. */
export function dnsFixture(name: string, types: readonly DnsType[]): DnsLookup {
  const base = { name, errors: {}, isAuthenticated: true, servers: ['fixture'], latencyMs: 0 };
  if (name === 'slow.test') {
    const errors = Object.fromEntries(types.map((type) => [type, 'timeout' as const]));
    return { ...base, records: [], errors, isAuthenticated: false };
  }
  if (name === POINTER.name) return { ...base, records: [POINTER], rcode: 'noerror' };
  if (!DELEGATED.includes(name)) return { ...base, records: [], rcode: 'nxdomain' };
  const asked = RECORDS.filter(({ type }) => types.includes(type));
  const records = asked.map((record) => ({ ...record, name }));
  return { ...base, records, rcode: 'noerror' };
}
