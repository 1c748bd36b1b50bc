import type { DnsSnapshot, DnsStretch, HistoricDnsRecord } from '#libs/contracts';
import { keptTypeName } from '../dns/dns-type.js';
import type { StretchRow } from './dns-history.repository.js';

/** Returns a record in the format of the answer. */
function historicDnsRecord(
  name: string,
  { rtype, value }: Pick<StretchRow, 'rtype' | 'value'>,
): HistoricDnsRecord {
  const type = keptTypeName(rtype)!;
  const head = { name, type, type_code: rtype };
  switch (type) {
    case 'A':
    case 'AAAA':
      return { ...head, address: value };
    case 'NS':
    case 'CNAME':
      return { ...head, target: value };
    case 'MX': {
      const [priority, exchange] = value.split(' ');
      return { ...head, priority: Number(priority), exchange };
    }
    case 'TXT':
    case 'SOA':
      return { ...head, text: value };
  }
}

/** Returns a period in the format of the answer. */
export function dnsStretch(name: string, row: StretchRow, source: string): DnsStretch {
  const { firstAt, untilAt, seenAt, isPassive } = row;
  return {
    ...historicDnsRecord(name, row),
    first_seen: firstAt.toISOString(),
    last_seen: (seenAt ?? firstAt).toISOString(),
    ended_at: isPassive ? null : (untilAt?.toISOString() ?? null),
    source,
  };
}

/** Returns all records at each of several times. @param rows all records that existed at any of them. */
export function dnsSnapshots(
  name: string,
  times: readonly Date[],
  rows: readonly Omit<StretchRow, 'seenAt'>[],
): DnsSnapshot[] {
  return times.map((at) => {
    const there = rows.filter(
      ({ firstAt, untilAt }) => firstAt <= at && (untilAt === null || untilAt > at),
    );
    const records = there
      .map((row) => historicDnsRecord(name, row))
      .toSorted((a, b) => a.type_code - b.type_code);
    const counts: Record<string, number> = {};
    for (const { type } of records) counts[type] = (counts[type] ?? 0) + 1;
    return { seen_at: at.toISOString(), dns_types: counts, dns_records: records };
  });
}
