import { domainToASCII } from 'node:url';
import type { TypoKind } from '#libs/contracts';
import { skeletonOf } from '#libs/domain-names';
import { Turns } from '#libs/platform';
import { type Key, domainKeyOf } from '../names/domain-key.js';
import { LOOK_ALIKES, NEIGHBOURS, SUFFIXES, WORDS } from './permutation-tables.js';

const LETTERS_AND_DIGITS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];
const VOWELS = [...'aeiou'];
const ASCII = /^[a-z0-9.-]+$/;
const LABEL = /^(?!-)[^.]{1,63}(?<!-)$/u;
/**
 * The maximum length of a label that is changed in two places; a longer label would yield too many
 * names.
 */
const TWICE_LENGTH_MAX = 32;
/** Maximum number of labels derived from a label, and of names in a query. */
export const PERMUTATIONS_MAX = 12_000;

/** The number of names made per turn of the event loop. */
const NAMES_OF_TURN = 250;

/** Labels derived from another label, each with its kind; the first kind that yields a label counts. */
export type Permutations = ReadonlyMap<string, TypoKind>;

/**
 * Returns labels that may be mistaken for a label, of the same kinds as those of dnstwist but more of each kind. Labels
 * with two changed letters come last, up to the limit. Making thousands of them takes 0.1 s, so other requests are
 * answered in between.
 */
export async function labelPermutations(label: string): Promise<Permutations> {
  const found = new Map<string, TypoKind>();
  const skeleton = skeletonOf(label);
  if (skeleton !== label) found.set(skeleton, 'homoglyph');
  const bases = [...new Set([label, skeleton])].map((base) => [...base]);
  const turns = new Turns(NAMES_OF_TURN);
  for (const [kind, make] of [...KINDS, TWICE]) {
    for (const base of bases) {
      for (const one of make(base)) {
        if (found.size === PERMUTATIONS_MAX) return found;
        if (one !== label && LABEL.test(one) && !found.has(one)) found.set(one, kind);
        await turns.spend();
      }
    }
  }
  return found;
}

export interface NamePermutation {
  key: Key;
  /** Lower-case A-labels. */
  name: string;
  kind: TypoKind;
}

/**
 * Returns names that may be mistaken for a given name: the permutations of its label under its own and other suffixes,
 * its label under the usual suffixes, and label and suffix written together. Of the permutations, those in ASCII come
 * first, because labels with other letters are also found by their appearance. The number of names is limited.
 * @param labels the permutations of the label. @param suffixes the other suffixes.
 */
export async function namePermutations(
  { label, suffix }: { label: string; suffix: string },
  labels: Permutations,
  suffixes: readonly string[],
): Promise<NamePermutation[]> {
  const found = new Map<string, TypoKind>();
  const add = (name: string, kind: TypoKind) => {
    if (!found.has(name)) found.set(name, kind);
  };
  const own = asciiOf(label);
  for (const other of new Set([...SUFFIXES, ...suffixes.map(asciiOf)]))
    add(`${own}.${other}`, 'tld-swap');
  const glued = suffix.replaceAll('.', '');
  const [first] = suffix.split('.');
  const last = suffix.slice(suffix.lastIndexOf('.') + 1);
  for (const under of new Set([suffix, 'com', last])) {
    for (const one of [glued, first, last]) {
      for (const together of [`${label}${one}`, `${label}-${one}`]) {
        const ascii = asciiOf(together);
        if (ascii !== '') add(`${ascii}.${under}`, 'various');
      }
    }
  }
  found.delete(`${own}.${suffix}`);
  const unders = new Set([suffix, ...suffixes.map(asciiOf)]);
  const turns = new Turns(NAMES_OF_TURN);
  for (const [one, kind, under] of permutedUnder(labels, unders)) {
    if (found.size === PERMUTATIONS_MAX) break;
    add(`${one}.${under}`, kind);
    await turns.spend();
  }
  const made: NamePermutation[] = [];
  for (const [name, kind] of found) {
    made.push({ key: domainKeyOf(name), name, kind });
    await turns.spend();
  }
  return made;
}

function* permutedUnder(
  labels: Permutations,
  unders: ReadonlySet<string>,
): Iterable<readonly [label: string, kind: TypoKind, under: string]> {
  const plain = [...labels].filter(([one]) => ASCII.test(one));
  for (const under of unders) for (const [one, kind] of plain) yield [one, kind, under];
  for (const [one, kind] of labels) {
    const ascii = ASCII.test(one) ? '' : asciiOf(one);
    if (ascii !== '') for (const under of unders) yield [ascii, kind, under];
  }
}

/** Returns a label as an A-label; empty if the label is not valid. */
export const asciiOf = (text: string) => (ASCII.test(text) ? text : domainToASCII(text));

/** Returns the ways to split a label with a dot into a host and the name above it. */
export function dottedForms(label: string): { host: string; label: string }[] {
  const letters = [...label];
  return letters.slice(1).flatMap((_, place) => {
    const [host, rest] = [letters.slice(0, place + 1).join(''), letters.slice(place + 1).join('')];
    return LABEL.test(host) && LABEL.test(rest) ? [{ host, label: rest }] : [];
  });
}

type Make = (letters: readonly string[]) => Iterable<string>;

/** Returns the text after replacing `count` letters at a position with another text. */
const splice = (letters: readonly string[], at: number, count: number, text: string) =>
  letters.toSpliced(at, count, text).join('');

function eachPlace(
  letters: readonly string[],
  make: (letter: string, place: number) => Iterable<string>,
): string[] {
  return letters.flatMap((letter, place) => [...make(letter, place)]);
}

const KINDS: readonly [TypoKind, Make][] = [
  ['homoglyph', mistaken],
  [
    'transposition',
    (all) => eachPlace(all.slice(1), (after, place) => [splice(all, place, 2, after + all[place])]),
  ],
  ['omission', omissions],
  ['repetition', (all) => eachPlace(all, (one, place) => [splice(all, place, 0, one)])],
  [
    'replacement',
    (all) => eachPlace(all, (one, place) => near(one).map((other) => splice(all, place, 1, other))),
  ],
  [
    'insertion',
    (all) =>
      eachPlace(all, (one, place) =>
        near(one).flatMap((other) => [
          splice(all, place, 0, other),
          splice(all, place + 1, 0, other),
        ]),
      ),
  ],
  [
    'vowel-swap',
    (all) =>
      eachPlace(all, (one, place) =>
        VOWELS.includes(one) ? VOWELS.map((vowel) => splice(all, place, 1, vowel)) : [],
      ),
  ],
  ['hyphenation', (all) => eachPlace(all.slice(1), (_, place) => [splice(all, place + 1, 0, '-')])],
  ['bitsquatting', bitsquats],
  [
    'plural',
    (all) =>
      eachPlace(all, (one, place) => [
        splice(all, place + 1, 0, 's'),
        ...(/[sxz]/.test(one) ? [splice(all, place + 1, 0, 'es')] : []),
      ]),
  ],
  ['addition', additions],
  ['dictionary', combinations],
  ['various', (all) => [`www${all.join('')}`, `www-${all.join('')}`]],
];

const TWICE: readonly [TypoKind, Make] = [
  'homoglyph',
  function* (letters) {
    if (letters.length > TWICE_LENGTH_MAX) return;
    for (const one of mistaken(letters)) yield* mistaken([...one]);
  },
];

const near = (letter: string) => [...(NEIGHBOURS.get(letter) ?? '')];

/** Returns the labels in which one letter or pair of letters is replaced with a similar one. */
function mistaken(letters: readonly string[]): Set<string> {
  const found = new Set<string>();
  letters.forEach((letter, place) => {
    const pair = letter + (letters[place + 1] ?? '');
    for (const other of LOOK_ALIKES[letter] ?? []) {
      found.add(splice(letters, place, 1, other));
      if (pair.length > 1) found.add(splice(letters, place, 2, pair.replaceAll(letter, other)));
    }
    for (const other of LOOK_ALIKES[pair] ?? []) found.add(splice(letters, place, 2, other));
  });
  return found;
}

function omissions(letters: readonly string[]): string[] {
  const shorter = eachPlace(letters, (_, place) => [splice(letters, place, 1, '')]);
  return [...shorter, letters.join('').replace(/(.)\1+/gu, '$1')];
}

function bitsquats(letters: readonly string[]): string[] {
  return eachPlace(letters, (letter, place) =>
    [1, 2, 4, 8, 16, 32, 64]
      .map((bit) => String.fromCodePoint(letter.codePointAt(0)! ^ bit))
      .filter((other) => /[a-z0-9-]/.test(other))
      .map((other) => splice(letters, place, 1, other)),
  );
}

/** Returns the labels with a letter or digit added at the beginning, or at the end of a part between hyphens. */
function additions(letters: readonly string[]): string[] {
  const ends = eachPlace(letters, (letter, place) => (letter === '-' ? [String(place)] : []));
  const places = [0, ...ends.map(Number), letters.length];
  return places.flatMap((place) => LETTERS_AND_DIGITS.map((one) => splice(letters, place, 0, one)));
}

function combinations(letters: readonly string[]): string[] {
  const label = letters.join('');
  const parts = label.split('-');
  const [head, tail] = [parts.slice(0, -1).join('-'), parts.slice(1).join('-')];
  return WORDS.flatMap((word) => [
    label + word,
    `${label}-${word}`,
    word + label,
    `${word}-${label}`,
    ...(parts.length > 1 ? [`${head}-${word}`, `${word}-${tail}`] : []),
  ]);
}
