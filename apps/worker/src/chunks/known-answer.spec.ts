import { expect, it } from '@jest/globals';
import { findingsOf } from './known-answer.js';

const KNOWN = { index: 0, name: 'a.com', sourceId: 1, observedAt: '2026-11-20T11:42:03.000Z' };

it('a record from the corpus has the members of a lookup’s answer, without the TTL', () => {
  const records = [
    { type: 'A', value: '192.0.2.1' },
    { type: 'MX', value: '10 mx.a.com' },
    { type: 'NS', value: 'ns1.a.com' },
    { type: 'TXT', value: 'a "b"' },
    { type: 'SOA', value: 'ns1.a.com hostmaster.a.com' },
  ];
  const { body } = findingsOf({ ...KNOWN, records });
  const { dns_records } = body as { dns_records: { raw_text: string }[] };
  expect(body).toMatchObject({
    query_time: '2026-11-20 11:42:03',
    rcode: 'noerror',
    dns_types: { A: 1, MX: 1, NS: 1, TXT: 1, SOA: 1 },
    dns_records: [
      { type_code: 1, address: '192.0.2.1' },
      { type_code: 15, priority: 10, exchange: 'mx.a.com' },
      { type_code: 2, target: 'ns1.a.com' },
      { type_code: 16, strings: ['a "b"'] },
      { type_code: 6, mname: 'ns1.a.com', rname: 'hostmaster.a.com' },
    ],
    errors: {},
  });
  expect(dns_records.map(({ raw_text }) => raw_text.split('\t').slice(1).join(' '))).toEqual([
    'IN A 192.0.2.1',
    'IN MX 10 mx.a.com.',
    'IN NS ns1.a.com.',
    String.raw`IN TXT "a \"b\""`,
    'IN SOA ns1.a.com. hostmaster.a.com.',
  ]);
});

it('a name without records has no return code, because the name may not exist in the DNS', () => {
  const { outcome, body } = findingsOf({ ...KNOWN, records: [] });
  expect(outcome).toBe('empty');
  expect(body).toMatchObject({ dns_types: {}, dns_records: [] });
  expect(body).not.toHaveProperty('rcode');
});
