import { describe, expect, it, jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { domainToUnicode } from 'node:url';
import { parseDomainName, skeletonOf } from '#libs/domain-names';
import { Turns } from '#libs/platform';
import { likenessOf } from './likeness.js';
import {
  PERMUTATIONS_MAX,
  dottedForms,
  labelPermutations,
  namePermutations,
} from './permutations.js';
import { typoScores } from './typo-scores.js';

/** The output of dnstwist 20250130 for some names: `name kind permutation …`, from its command line. */
const PUBLISHED = readFileSync('test/corpus/dnstwist-permutations.txt', 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

async function foundBy(name: string): Promise<(other: string) => boolean> {
  const parsed = parseDomainName(name);
  if (!parsed.ok) throw new Error(name);
  const { label, publicSuffix: suffix } = parsed.domain;
  const labels = await labelPermutations(label);
  const made = await namePermutations({ label, suffix }, labels, []);
  const names = new Set(made.map((one) => one.name));
  const hosts = new Set(dottedForms(label).map((one) => `${one.host}.${one.label}.${suffix}`));
  return (other) => {
    const [unicode] = domainToUnicode(other).split('.');
    const skeleton = skeletonOf(unicode);
    const looksLike = skeleton !== unicode && (skeleton === label || labels.has(skeleton));
    return names.has(other) || hosts.has(other) || looksLike;
  };
}

describe('look-alikes', () => {
  it.each(PUBLISHED.map(([name, kind, ...published]) => ({ name, kind, published })))(
    '$name, $kind: every name that dnstwist generates is found',
    async ({ name, published }) => {
      const isFound = await foundBy(name);
      expect(published.filter((one) => !isFound(one))).toEqual([]);
      expect(published.length).toBeGreaterThan(0);
    },
  );

  it.each([
    'bankofamerica',
    'a'.repeat(63),
    'i-l-i-l-i-l-i-l-i-l-i-l-i-l-i-l',
    ...['b', 'd', 'm', 'в', 'o', 'ä'].map((letter) => letter.repeat(32)),
  ])(
    'S102: look-alikes never exceed the limit of one query, however many suffixes are requested: %s',
    async (label) => {
      const labels = await labelPermutations(label);
      expect(labels.size).toBeLessThanOrEqual(PERMUTATIONS_MAX);
      expect(labels.has(label)).toBe(false);
      const suffixes = Array.from({ length: 50 }, (_, at) => `suffix${at}`);
      const names = await namePermutations({ label, suffix: 'com' }, labels, suffixes);
      expect(names.length).toBeLessThanOrEqual(PERMUTATIONS_MAX);
    },
  );

  it('S102: other requests are answered while look-alikes are generated and compared', async () => {
    const spend = jest.spyOn(Turns.prototype, 'spend');
    const turns = () => spend.mock.results.splice(0).filter(({ value }) => value).length;
    const label = 'm'.repeat(32);
    const labels = await labelPermutations(label);
    expect(turns()).toBeGreaterThan(40);
    const names = await namePermutations({ label, suffix: 'com' }, labels, ['net', 'org']);
    expect([names.length, turns() > 80]).toEqual([PERMUTATIONS_MAX, true]);
    const domainNames = Array.from({ length: 100 }, (_, n) => `example${n}.com`);
    const { body } = await typoScores({ domainName: 'a.com', domainNames });
    expect([body.domains.length, turns() > 30]).toEqual([100, true]);
    spend.mockRestore();
  });

  it.each([
    ['paypal', 'paypa1', 'looks_the_same', 95],
    ['paypal', 'раураӏ', 'looks_the_same', 95],
    ['microsoft', 'rnicrosoft', 'looks_the_same', 95],
    ['paypal', 'papyal', 'one_letter_off', 80],
    ['paypal', 'paypal-login', 'contains_name', 65],
  ])('%s and %s: %s, %i points', (own, label, reason, score) => {
    const suffix = 'com';
    const likeness = likenessOf({ label: own, suffix }, { label, suffix }, {});
    expect(likeness).toEqual({ score, reasons: [reason] });
  });

  it("neither a different name nor the name itself is a look-alike; age and mail raise a look-alike's score", () => {
    const own = { label: 'paypal', suffix: 'com' };
    const evidence = { isNew: true, takesMail: true };
    for (const label of ['paypal', 'wikipedia', 'pal']) {
      expect(likenessOf(own, { label, suffix: 'com' }, evidence).score).toBe(0);
    }
    expect(likenessOf(own, { label: 'paypal', suffix: 'net' }, evidence)).toEqual({
      score: 80,
      reasons: ['other_suffix', 'new_within_30_days', 'takes_mail'],
    });
  });
});
