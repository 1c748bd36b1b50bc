import { expect, it } from '@jest/globals';
import { plainForm, visibleText } from './folded.js';

it.each(['a \u200b b', 'a\u200b\t\u2028b', ' \u200e a  b\u202e '])(
  'several spaces become one, even next to invisible characters: %j',
  (text) => {
    expect(visibleText(text)).toBe('a b');
    expect(plainForm(text.toUpperCase())).toBe('a b');
  },
);
