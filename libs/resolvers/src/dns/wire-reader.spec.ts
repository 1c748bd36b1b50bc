import { describe, expect, it } from '@jest/globals';
import { stringsText } from './wire-reader.js';

describe('the strings of a text', () => {
  it('are read as UTF-8 if their octets together are valid, even if a character is split between two strings', () => {
    expect(stringsText(['Gr\u00c3\u00bc\u00c3', '\u009fe', '', '\u00e2\u0082', '\u00ac'])).toEqual([
      'Grü',
      'ße',
      '',
      '',
      '€',
    ]);
    expect(stringsText(['\u00c3\u00bc', '\u00ff'])).toEqual(['ü', '\u00ff']);
  });
});
