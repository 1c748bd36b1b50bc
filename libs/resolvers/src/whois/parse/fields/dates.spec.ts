import { describe, expect, it } from '@jest/globals';
import { parseDate, provenOrder, type DateStyle } from './dates.js';

const DMY: DateStyle = { order: 'dmy' };

describe('a date as WHOIS servers print it', () => {
  it.each<[string, DateStyle, string, 'day' | 'second']>([
    ['2026-01-31', {}, '2026-01-31', 'day'],
    ['2026/01/31', {}, '2026-01-31', 'day'],
    ['2026.01.31', {}, '2026-01-31', 'day'],
    ['2026. 01. 31.', {}, '2026-01-31', 'day'],
    ['20260131', {}, '2026-01-31', 'day'],
    ['20260131 #162310', {}, '2026-01-31', 'day'],
    ['20260131235958', {}, '2026-01-31T23:59:58Z', 'second'],
    ['31-Jan-2026', {}, '2026-01-31', 'day'],
    ['31-jan-2026.', {}, '2026-01-31', 'day'],
    ['2026-Jan-31.', {}, '2026-01-31', 'day'],
    ['31 January 2026', {}, '2026-01-31', 'day'],
    ['31st January 2026', {}, '2026-01-31', 'day'],
    ['2nd April, 2026', {}, '2026-04-02', 'day'],
    ['January 31 2026', {}, '2026-01-31', 'day'],
    ['October  9 2026', {}, '2026-10-09', 'day'],
    ['Sat Jan 31 2026', {}, '2026-01-31', 'day'],
    ['Monday 16th Jun 2026', {}, '2026-06-16', 'day'],
    ['Sat Jan 31 10:11:12 GMT 2026', {}, '2026-01-31T10:11:12Z', 'second'],
    ['Sat Jan 31 10:11:12 2026', {}, '2026-01-31T10:11:12Z', 'second'],
    ['31 de agosto de 2026', {}, '2026-08-31', 'day'],
    ['15-abr-2026', {}, '2026-04-15', 'day'],
    ['31.01.2026', {}, '2026-01-31', 'day'],
    ['3.4.2026', {}, '2026-04-03', 'day'],
    ['31.01.2026 10:11:12', {}, '2026-01-31T10:11:12Z', 'second'],
    ['03/04/2026', DMY, '2026-04-03', 'day'],
    ['03/04/2026', { order: 'mdy' }, '2026-03-04', 'day'],
    ['03-04-2026', DMY, '2026-04-03', 'day'],
    ['31/01/2026', {}, '2026-01-31', 'day'],
    ['01/31/2026', {}, '2026-01-31', 'day'],
    ['05/05/2026', {}, '2026-05-05', 'day'],
    ['16/09/03', { order: 'dmy', twoDigitYears: true }, '2003-09-16', 'day'],
    ['2026-01-31T10:11:12Z', {}, '2026-01-31T10:11:12Z', 'second'],
    ['2026-01-31T10:11:12.345Z', {}, '2026-01-31T10:11:12Z', 'second'],
    ['2026-01-31T10:11:12+02:00', {}, '2026-01-31T08:11:12Z', 'second'],
    ['2026-01-31 10:11:12 +0200', {}, '2026-01-31T08:11:12Z', 'second'],
    ['2026-01-31 10:11:12+02', {}, '2026-01-31T08:11:12Z', 'second'],
    ['2026-01-31 01:11:12 (UTC+8)', {}, '2026-01-30T17:11:12Z', 'second'],
    ['2026-12-31T23:30:00-05:00', {}, '2027-01-01T04:30:00Z', 'second'],
    ['2026-03-01T00:30:00+01:00', {}, '2026-02-28T23:30:00Z', 'second'],
    ['2026/01/31 01:12:57 (JST)', {}, '2026-01-30T16:12:57Z', 'second'],
    ['2026/01/31 00:00:00 (JST)', {}, '2026-01-31', 'day'],
    ['2026-01-31 10:11:12', { offsetMinutes: 480 }, '2026-01-31T02:11:12Z', 'second'],
    ['2026-01-31 00:00:00', { offsetMinutes: 480 }, '2026-01-31', 'day'],
    ['2026-01-31 00:00:00', {}, '2026-01-31T00:00:00Z', 'second'],
    ['0-UANIC 20260131101112', {}, '2026-01-31T10:11:12Z', 'second'],
    ['registrar AT ns.example 20260131 (Assigned)', {}, '2026-01-31', 'day'],
    ['2028-02-29', {}, '2028-02-29', 'day'],
  ])('%j is read', (text, style, iso, precision) => {
    expect(parseDate(text, style)).toEqual({ original: text, iso, precision });
  });

  it.each([
    '03/04/2026',
    '03-04-2026',
    '2026-02-30',
    '2027-02-29',
    '2026-13-01',
    '0000-00-00',
    'before 1996',
    'not available',
    '12345',
    '10:11:12',
    '',
    'x'.repeat(10_000),
  ])('%j is not a date, or one that would have to be guessed', (text) => {
    expect(parseDate(text, {})).toBeUndefined();
  });

  it('a day that fits only one order proves the order', () => {
    expect(provenOrder('31/01/2026')).toBe('dmy');
    expect(provenOrder('01/31/2026')).toBe('mdy');
    expect(provenOrder('03/04/2026')).toBeUndefined();
    expect(provenOrder('2026-01-31')).toBeUndefined();
  });
});
