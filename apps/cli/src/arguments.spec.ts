import { describe, expect, it } from '@jest/globals';
import { instant } from './arguments.js';

describe('a time that an operator enters', () => {
  it.each([
    ['2027-01-31T12:00:00Z', '2027-01-31T12:00:00Z'],
    ['2027-01-31T12:00Z', '2027-01-31T12:00:00Z'],
    ['2027-01-31T12:00:00.1234Z', '2027-01-31T12:00:00.123Z'],
    ['2027-01-01T00:30:00+02:00', '2026-12-31T22:30:00Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00Z'],
  ])('%s is sent as %s, in UTC', (text, sent) => {
    expect(instant(text)).toBe(sent);
  });

  it.each([
    '2027-02-29T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-01-31',
    '2027-W05-1',
    '20270131T120000Z',
    '',
  ])('%j is rejected', (text) => {
    expect(() => instant(text)).toThrow('It must be a time such as 2027-01-31T12:00:00Z.');
  });
});
