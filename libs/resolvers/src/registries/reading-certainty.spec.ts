import { describe, expect, it } from '@jest/globals';
import { parseWhois } from '../whois/parse/parse-whois.js';
import { certaintyOf } from './reading-certainty.js';
import { Registries } from './registries.js';

const all = Registries.vendored().routes().map(certaintyOf);
const of = (tld: string) => all.find((one) => one.tld === tld);

describe('the certainty of an answer', () => {
  it.each([
    ['com', 'rdap', 'recorded'],
    ['ru', 'whois43', 'known'],
    ['xn--fiqs8s', 'whois43', 'by_system'],
    ['mw', 'whois43', 'by_system'],
    ['vu', 'whois43', 'untested'],
  ])(
    '.%s is queried by %s, and its port-43 answers are read as %s',
    (tld, protocol, whoisReading) => {
      expect(of(tld)).toMatchObject({ protocol, whoisReading });
    },
  );

  it('each top-level domain has a protocol or a reason why there is none, and a certainty if port 43 is queried', () => {
    for (const { protocol, reason, hasFallback, whoisReading } of all) {
      expect((protocol === undefined) === (reason !== undefined)).toBe(true);
      expect(whoisReading !== undefined).toBe(protocol === 'whois43' || hasFallback);
    }
  });

  it('answers have been seen from all but a few of the registries that answer only on port 43', () => {
    const alone = all.filter(({ protocol }) => protocol === 'whois43');
    const untested = alone.filter(({ whoisReading }) => whoisReading === 'untested');
    expect(alone.length).toBeGreaterThan(100);
    expect(untested.map(({ tld }) => tld).sort()).toEqual([
      'bf',
      'bh',
      'ga',
      'ge',
      'gh',
      'gn',
      'ls',
      'mc',
      'mm',
      'mr',
      'mt',
      'pf',
      'pk',
      'td',
      'vu',
      'xn--j1amh',
      'xn--mgbah1a3hjkrd',
      'xn--node',
      'xn--wgbh1c',
    ]);
  });

  it('a country’s domain in its own script is read like its ASCII sibling', () => {
    const text =
      'Domain Name: 例.中国\nRegistration Time: 2020-01-02 03:04:05\nSponsoring Registrar: Sample';
    const context = { domain: 'xn--fsq.xn--fiqs8s', server: '', role: 'registry' } as const;
    const [one, other] = ['xn--fiqs8s', 'cn'].map((tld) => parseWhois(text, { ...context, tld }));
    expect(one.record?.created).toEqual(other.record?.created);
    expect(one.record?.created?.iso).toBe('2020-01-01T19:04:05Z');
  });
});
