import { expect, it } from '@jest/globals';
import { boolean, idOf, suffixes } from './kinds.js';
import { DNS_PTR } from './reverse/dns-ptr.js';
import { InputReader } from './reading/input-reader.js';
import { moment } from './typos/typo-kinds.js';

it('parameters may be written as libraries write them: `True`, and ids in upper case', () => {
  expect(boolean().clean!('True')).toBe('true');
  expect(boolean().fault('yes')).toBeDefined();
  const id = '019a5f00-0000-7000-8000-00000000000a';
  expect(idOf('a job').clean!(id.toUpperCase())).toBe(id);
});

it('suffixes may be written in any script, with spaces after commas', () => {
  expect(suffixes().fault('.рф, com,co.uk')).toBeUndefined();
  expect(suffixes().value('.рф, com,co.uk')).toEqual(['xn--p1ai', 'com', 'co.uk']);
  for (const wrong of ['', 'com,', 'a b', 'a.b.c', 'com/x']) {
    expect(suffixes().fault(wrong)).toMatch(/^must be at most 20 suffixes/);
  }
});

it.each([
  ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['2026-11-20T11:42:03Z', '2026-11-20T11:42:03.000Z'],
  ['2026-11-20T11:42:03.123456+00:00', '2026-11-20T11:42:03.123Z'],
  ['2026-11-20T01:30:00+05:30', '2026-11-19T20:00:00.000Z'],
])('a time may have any offset from UTC: %s', (given, time) => {
  expect(moment().fault(given)).toBeUndefined();
  expect(moment().value(given).toISOString()).toBe(time);
});

it.each([
  '2026-02-30',
  '2026-02-30T00:00:00+01:00',
  '2026-11-20T25:00:00Z',
  '2026-11-20T11:42',
  '1',
])('a time that does not exist, or has no offset, is refused: %s', (given) =>
  expect(moment().fault(given)).toMatch(/^must be a time/),
);

it('a search by an address block that lacks the type of record says so', () => {
  const { faults } = new InputReader(DNS_PTR).read(['value'], ['198.51.100.0/24']);
  expect(faults).toEqual([
    { field: 'value', message: expect.stringMatching(/unless "type" names other records$/) },
  ]);
});
