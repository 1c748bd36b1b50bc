import { expect, it } from '@jest/globals';
import { numberQueryLine } from './query-forms.js';

it.each(['193.0.0.1\r\nQUIT', '-T person x', 'AS12x', 'AS1 ', '1.2.3.4/24/', ''])(
  'S61: %j never reaches port 43',
  (text) => {
    expect(() => numberQueryLine('whois.ripe.net', text)).toThrow(RangeError);
  },
);
