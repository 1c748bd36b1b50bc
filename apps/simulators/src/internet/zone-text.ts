import type { Answer, RecordType, SoaData } from 'dns-packet';
import { recordsOf } from '../dns/dns-records.js';

const TTL_SECONDS = 3_600;
const NEGATIVE_TTL_SECONDS = 300;
const DOMAIN_TYPES: RecordType[] = ['SOA', 'NS', 'A', 'AAAA', 'MX', 'TXT', 'CAA'];

/** Returns a line of a zone file (RFC 1035 §5). */
export function line(name: string, type: string, data: string): string {
  return `${name} ${TTL_SECONDS} IN ${type} ${data}\n`;
}

/** Returns a name with its final dot; the root is a single dot. */
export function absolute(name: string): string {
  return name === '.' ? name : `${name}.`;
}

/** Returns the SOA and NS records of a zone with one name server. */
export function apex(zone: string, server: string): string {
  const times = `1 7200 900 1209600 ${NEGATIVE_TTL_SECONDS}`;
  const soa = line(
    absolute(zone),
    'SOA',
    `${absolute(server)} hostmaster.${absolute(server)} ${times}`,
  );
  return soa + line(absolute(zone), 'NS', absolute(server));
}

/** Returns the zone of a registered name in the simulated world. */
export function domainZone(domain: string): string {
  const answers = DOMAIN_TYPES.flatMap((type) => recordsOf(domain, type) ?? []);
  const [address] = recordsOf(domain, 'A') ?? [];
  const hosts = ['www', 'mail'].map((label) => ({ ...address!, name: `${label}.${domain}` }));
  return [...answers, ...hosts].map(lineOf).join('');
}

export function pointers(reverseName: string): string {
  return (recordsOf(reverseName, 'PTR') ?? []).map(lineOf).join('');
}

function lineOf(answer: Answer): string {
  return line(absolute(answer.name), answer.type, dataOf(answer));
}

function dataOf(answer: Answer): string {
  switch (answer.type) {
    case 'A':
    case 'AAAA':
      return answer.data;
    case 'NS':
    case 'PTR':
      return absolute(answer.data);
    case 'MX':
      return `${answer.data.preference} ${absolute(answer.data.exchange)}`;
    case 'TXT':
      return `"${String(answer.data)}"`;
    case 'CAA':
      return `${answer.data.flags} ${answer.data.tag} "${answer.data.value}"`;
    case 'SOA':
      return soaText(answer.data);
    default:
      throw new Error(`the simulated world has no ${answer.type} records`);
  }
}

function soaText({ mname, rname, serial, refresh, retry, expire, minimum }: SoaData): string {
  return `${absolute(mname)} ${absolute(rname)} ${serial} ${refresh} ${retry} ${expire} ${minimum}`;
}
