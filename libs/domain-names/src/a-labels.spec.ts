import { domainToASCII } from 'node:url';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NAME_LENGTH_MAX, isTooLongForName, toALabels } from './a-labels.js';

it('S105: a text longer than any name is not converted, because conversion would take long', () => {
  const long = String.fromCodePoint(...Array.from({ length: 2_048 }, (_, n) => 0x4e00 + n));
  expect(domainToASCII(long)).toMatch(/^xn--/);
  expect(toALabels(long)).toBe('');
  // A text of 80 decomposed syllables could be a name; one of 200 is too long and is not even normalized.
  expect(isTooLongForName('\u1100\u1161\u11a8'.repeat(80))).toBe(false);
  expect(isTooLongForName('\u1100\u1161\u11a8'.repeat(200))).toBe(true);
  expect(toALabels(`Bücher.${'a.'.repeat(100)}example`)).toMatch(/^xn--bcher-kva\./);
});

it('no text that has a valid conversion is refused as too long', () => {
  const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(texts, fc.array(fc.string({ unit: 'grapheme', maxLength: 70 })), (one, more) => {
      const text = [one, ...more].join('.');
      const { length } = domainToASCII(text).replace(/\.$/, '');
      return length === 0 || length > NAME_LENGTH_MAX || !isTooLongForName(text);
    }),
    { seed: 253 },
  );
});
