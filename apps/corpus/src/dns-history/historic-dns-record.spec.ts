import { expect, it } from '@jest/globals';
import { DNS_TYPES } from '#libs/resolvers';
import { dnsSnapshots } from './historic-dns-record.js';

const START_MS = Date.parse('2026-11-01T00:00:00Z');
const RECORDS = 20;
let reads = 0;

class CountedTime extends Date {
  override getTime(): number {
    reads += 1;
    return super.getTime();
  }
  override valueOf(): number {
    reads += 1;
    return super.valueOf();
  }
}
const timeOf = (minute: number) => new CountedTime(START_MS + minute * 60_000);

it('S124: the times of a record are read only once, however many snapshots the DNS history of its name has', () => {
  const times = Array.from({ length: 100 }, (_, minute) => timeOf(minute));
  const rows = times.flatMap((_, minute) =>
    Array.from({ length: RECORDS }, (_row, place) => ({
      rtype: place % 2 === 0 ? DNS_TYPES.TXT : DNS_TYPES.A,
      value: `${minute} ${place}`,
      firstAt: timeOf(minute),
      untilAt: minute === 99 ? null : timeOf(minute + 1),
      isPassive: false,
      sourceId: 1,
    })),
  );
  const snapshots = dnsSnapshots('a.example', times, rows);
  expect(reads).toBeLessThanOrEqual(2 * (rows.length + times.length));
  expect(snapshots).toHaveLength(100);
  const { seen_at: seenAt, dns_types: counts, dns_records: records } = snapshots[99];
  expect([seenAt, counts]).toEqual([
    new Date(START_MS + 99 * 60_000).toISOString(),
    { A: RECORDS / 2, TXT: RECORDS / 2 },
  ]);
  expect(records[0]).toMatchObject({ type: 'A', address: '99 1' });
  expect(records.at(-1)).toMatchObject({ type: 'TXT', text: '99 18' });
});
