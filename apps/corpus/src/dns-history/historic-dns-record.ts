import type { DnsSnapshot, DnsStretch, HistoricDnsRecord } from '#libs/contracts';
import { keptTypeName } from '../dns/dns-type.js';
import type { StretchRow } from './dns-history.repository.js';

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
  // Each row is compared with each time, and comparing numbers is a hundred times faster than comparing dates.
  const periods = rows
    .toSorted((a, b) => a.rtype - b.rtype)
    .map((row) => ({
      record: historicDnsRecord(name, row),
      firstMs: row.firstAt.getTime(),
      untilMs: row.untilAt?.getTime() ?? Infinity,
    }));
  return times.map((at) => {
    const atMs = at.getTime();
    const records = periods
      .filter(({ firstMs, untilMs }) => firstMs <= atMs && untilMs > atMs)
      .map(({ record }) => record);
    const counts: Record<string, number> = {};
    for (const { type } of records) counts[type] = (counts[type] ?? 0) + 1;
    return { seen_at: at.toISOString(), dns_types: counts, dns_records: records };
  });
}
