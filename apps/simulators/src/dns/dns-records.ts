import { createHash } from 'node:crypto';
import type { Answer, RecordType } from 'dns-packet';
import { availabilityOf, registrationOf } from '../registrations/registration.js';

const TTL_SECONDS = 300;

/**
 * Returns the records of a name and type in the simulated world: undefined if the name does not exist, empty if it has
 * no record of the type. Addresses come from the documentation ranges (RFC 5737, RFC 3849).
 */
export function recordsOf(asked: string, type: RecordType): Answer[] | undefined {
  const domain = asked.toLowerCase();
  // A resolver that denies even the root would look as if it were cut off from the internet.
  if (domain === '.') return [];
  if (domain.endsWith('.arpa')) return type === 'PTR' ? [pointer(asked)] : [];
  if (availabilityOf(domain) === 'free') return undefined;
  const { nameServers } = registrationOf(domain);
  const common = { name: asked, ttl: TTL_SECONDS };
  const [octet, group] = createHash('sha256').update(domain).digest();
  switch (type) {
    case 'A':
      return [{ ...common, type, data: `192.0.2.${octet}` }];
    case 'AAAA':
      return [{ ...common, type, data: `2001:db8::${group!.toString(16)}` }];
    case 'NS':
      return nameServers.map((data) => ({ ...common, type, data }));
    case 'MX':
      return [{ ...common, type, data: { preference: 10, exchange: `mail.${domain}` } }];
    case 'TXT':
      return [{ ...common, type, data: `v=spf1 ip4:192.0.2.${octet} -all` }];
    case 'CAA':
      return [{ ...common, type, data: { flags: 0, tag: 'issue', value: 'ca.example' } }];
    case 'SOA':
      return [{ ...common, type, data: startOfAuthority(nameServers[0]!, domain) }];
    default:
      return [];
  }
}

function startOfAuthority(mname: string, domain: string) {
  const times = { refresh: 7_200, retry: 900, expire: 1_209_600, minimum: TTL_SECONDS };
  return { mname, rname: `hostmaster.${domain}`, serial: 2026010101, ...times };
}

function pointer(name: string): Answer {
  const host = createHash('sha256').update(name.toLowerCase()).digest('hex').slice(0, 8);
  return { name, ttl: TTL_SECONDS, type: 'PTR', data: `host-${host}.example` };
}
