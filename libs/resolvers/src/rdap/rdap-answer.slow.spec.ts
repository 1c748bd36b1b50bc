import { describe, expect, it } from '@jest/globals';
import { readNumberAnswer } from '../networks/number-reading.js';
import { WorkMeter } from '../whois/parse/reading/work-meter.js';
import { readRdapAnswer } from './rdap-answer.js';

describe('an RDAP answer', () => {
  const about = { domain: 'a.example', role: 'registry', isAbsent: false } as const;

  it('is parse_failed if it is not a complete object about the name', () => {
    for (const text of ['{"ldhName": "a.exam', '[]', '', 'null', '{"ldhName": "b.example"}']) {
      expect(readRdapAnswer(text, about)).toEqual({ outcome: 'parse_failed' });
    }
  });

  it('with status 404 is parse_failed if its body is unreadable, and "not registered" if its body is empty', () => {
    expect(readRdapAnswer('{', { ...about, isAbsent: true })).toEqual({ outcome: 'parse_failed' });
    expect(readRdapAnswer('', { ...about, isAbsent: true })).toEqual({ outcome: 'not_registered' });
  });

  /** Answers that grow with `n` in a place where a normal server sends only a few items, and cards of any size. */
  const HOSTILE: Record<string, (n: number) => object> = {
    'texts of a card': (n) => cardOf(NAMES.map((name) => [name, {}, 'text', long(n)])),
    'a label of an address': (n) =>
      cardOf([['adr', { label: long(n), cc: long(n) }, 'text', [long(n), [long(n)], long(n)]]]),
    'properties of a card': (n) =>
      cardOf(times(n, (i) => [NAMES[i % NAMES.length], {}, 'text', ` ${i}`])),
    'properties without a value': (n) => cardOf(times(n, () => [])),
    'values within values': (n) => cardOf([['org', {}, 'text', times(n, () => [['a'], [['b']]])]]),
    'types of a telephone': (n) =>
      cardOf([['tel', { type: times(n, () => 'fax') }, 'uri', 'tel:1']]),
    'a card within itself': () => cardOf([DEEP]),
    'components of a name': (n) => ({
      entities: [
        {
          roles: ['registrant'],
          jscard: { name: { components: times(n, () => ({ value: 'a' })) } },
        },
      ],
    }),
    entities: (n) => ({ entities: times(n, () => ({ roles: ['registrant', 'technical'] })) }),
    'entities with cards': (n) => ({ entities: times(n, () => ({ ...card, roles: ['abuse'] })) }),
    'entities within entities': (n) => ({
      entities: times(n, () => ({ entities: times(9, () => ({ entities: [card, card] })) })),
    }),
    roles: (n) => ({ entities: [{ ...card, roles: times(n, (i) => `role ${i}`) }] }),
    ...Object.fromEntries(
      [
        'nameservers',
        'events',
        'links',
        'remarks',
        'notices',
        'status',
        'redacted',
        'publicIds',
      ].map((member) => [member, (n: number) => ({ [member]: times(n, () => ANYTHING) })]),
    ),
    'lines of a remark': (n) => ({ remarks: [{ description: '\n'.repeat(n) }] }),
    'keys for signatures': (n) => ({ secureDNS: { dsData: times(n, () => ANYTHING) } }),
    'unknown members': (n) => Object.fromEntries(times(n, (i) => [`m${i}`, i])),
  };

  describe.each(Object.keys(HOSTILE))('S64: %s', (name) => {
    const textOf = (n: number) =>
      JSON.stringify({ ldhName: 'a.example', startAutnum: 1, ...HOSTILE[name](n) }).replace(
        `"${DEEP}"`,
        () => '['.repeat(n) + ']'.repeat(n),
      );

    it.each(['domain', 'autnum', 'not found'] as const)(
      'of twice the size takes at most twice the work, up to a megabyte: %s',
      (kind) => {
        const most = Math.floor((512 * 1024) / (textOf(200).length / 200));
        for (const n of [20, 1_000, most]) {
          const [once, twice] = [mappingOf(textOf(n), kind), mappingOf(textOf(2 * n), kind)];
          expect([n, twice, twice <= 2 * once + 1_000]).toEqual([n, twice, true]);
          expect([n, once, once <= MAPPING_MAX]).toEqual([n, once, true]);
        }
      },
    );
  });

  /** Returns the steps of the work, without those for the characters of the JSON. */
  function mappingOf(text: string, kind: 'domain' | 'autnum' | 'not found'): number {
    const meter = new WorkMeter();
    if (kind === 'autnum') readNumberAnswer(text, { form: 'autnum', asked: ['1', '1'] }, meter);
    else readRdapAnswer(text, { ...about, isAbsent: kind === 'not found' }, meter);
    return meter.steps - text.length;
  }
});

/** The limit of the work apart from parsing the JSON. It holds for any size, because lists and texts are truncated. */
const MAPPING_MAX = 250_000;
const DEEP = 'deep';
const NAMES = ['fn', 'n', 'org', 'tel', 'email', 'adr', 'url'];
const card = {
  roles: ['registrant'],
  vcardArray: ['vcard', NAMES.map((name) => [name, {}, 'text', 'a'])],
};
const ANYTHING = {
  ldhName: 'ns1.a.example',
  eventAction: 'registration',
  eventDate: '2020-01-01',
  title: 'a',
  description: ['b', 'c'],
  rel: 'related',
  href: 'https://a.example/domain/a.example',
  type: 'application/rdap+json',
  identifier: '1',
  name: { type: 'Registrant Name' },
  keyTag: 1,
};
const cardOf = (properties: unknown[]) => ({
  entities: [{ roles: ['registrant'], vcardArray: ['vcard', properties] }],
});
const long = (n: number) => '\n;ext=é\u202e '.repeat(n);
const times = <Item>(n: number, item: (i: number) => Item) =>
  Array.from({ length: n }, (_, i) => item(i));
