import { expect, it } from '@jest/globals';
import { passiveObservations } from './passive-dns.js';

const SEEN = { rrname: 'cof.com.', time_first: 1_700_000_000, time_last: 1_700_003_600 };

const valuesOf = (rrtype: string, rdata: unknown) =>
  passiveObservations(JSON.stringify({ ...SEEN, rrtype, rdata })).map((one) =>
    one.kind === 'passive' ? one.value : undefined,
  );

it.each([
  ['v=spf1 -all', 'v=spf1 -all'],
  ['"v=spf1 -all"', 'v=spf1 -all'],
  ['"v=spf1 ip4:192.0.2.0/24" " -all"', 'v=spf1 ip4:192.0.2.0/24 -all'],
  [String.raw`"a \"b\" \\ \195\188 ü"`, String.raw`a "b" \ ü ü`],
  ['"a" b', '"a" b'],
  ['say "a"', 'say "a"'],
])('the text of a TXT record is the same with and without quotation marks: %s', (rdata, text) => {
  expect(valuesOf('TXT', rdata)).toEqual([text]);
  expect(valuesOf('TXT', [rdata])).toEqual([text]);
});

it('records of other types are read as they are', () => {
  expect(valuesOf('MX', ['10 MX.cof.com.'])).toEqual(['10 mx.cof.com']);
  expect(valuesOf('A', '"192.0.2.1"')).toEqual([]);
});
