import { expect, it } from '@jest/globals';
import type { DnsRecord } from './dns-record.js';
import { recordText } from './record-text.js';

it.each<[DnsRecord, string]>([
  [
    {
      name: 'a.example',
      ttlSeconds: 300,
      type: 'CAA',
      flags: 0,
      tag: 'is\nsue',
      value: 'ca"\u0007',
    },
    'a.example.\t300\tIN\tCAA\t0 is\\010sue "ca\\"\\007"',
  ],
  [{ name: '.', ttlSeconds: 0, type: 'MX', priority: 0, exchange: '.' }, '.\t0\tIN\tMX\t0 .'],
])('octets that are not printable are escaped: %j', (record, text) => {
  expect(recordText(record)).toBe(text);
});
