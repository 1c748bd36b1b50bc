import { describe, expect, it } from '@jest/globals';
import { reverseValue } from './reverse-value.js';

describe('the value of a reverse DNS search', () => {
  it.each([
    'ip4:198.51.100.0/24',
    'a/24',
    'site-verification=1/2',
    '198.51.100.0/24',
    '2001:db8::/32',
  ])('%s is accepted', (value) => expect(reverseValue().fault(value)).toBeUndefined());

  it.each(['198.51.0.0/15', '2001::/31', '198.51.100.0/33'])('the block %s is rejected', (value) =>
    expect(reverseValue().fault(value)).toBeDefined(),
  );
});
