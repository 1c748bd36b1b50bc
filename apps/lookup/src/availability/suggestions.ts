import { domainToASCII, domainToUnicode } from 'node:url';
import { type DomainName, parseDomainName } from '#libs/domain-names';
import { isLatin, isOpen, suffixesFor } from './suffixes.js';
import { isWord, wordsOf } from './words.js';

const LABEL_LENGTH_MAX = 63;

const PREFIXES = ['get', 'my', 'try', 'the', 'go', 'use', 'hello', 'join', 'we'] as const;
const ENDINGS = [
  'app',
  'hq',
  'online',
  'hub',
  'now',
  'lab',
  'pro',
  'site',
  'world',
  'group',
  'co',
] as const;

const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  buy: ['shop', 'get'],
  car: ['auto'],
  cars: ['autos', 'wheels'],
  cheap: ['budget', 'value'],
  cloud: ['sky'],
  code: ['dev'],
  coffee: ['espresso', 'roast'],
  company: ['group', 'works'],
  data: ['info', 'facts'],
  design: ['studio', 'craft'],
  fast: ['quick', 'rapid', 'swift'],
  food: ['eats', 'kitchen'],
  garden: ['green', 'yard'],
  health: ['care', 'wellness'],
  home: ['house', 'place'],
  host: ['server'],
  house: ['home', 'place'],
  job: ['work', 'career'],
  jobs: ['careers', 'work'],
  mail: ['post', 'inbox'],
  money: ['cash', 'finance'],
  music: ['sound', 'audio'],
  news: ['daily', 'times'],
  pet: ['animal'],
  pets: ['animals'],
  photo: ['pic', 'image'],
  photos: ['pics', 'images'],
  school: ['academy', 'college'],
  shop: ['store', 'market'],
  smart: ['clever', 'bright'],
  store: ['shop', 'market'],
  tech: ['digital', 'labs'],
  travel: ['trip', 'tour'],
  web: ['net', 'site'],
  work: ['job', 'office'],
};

/**
 * Suggests names similar to a given name, best first, without repeats and without the name itself: the same label under
 * other suffixes, and labels whose words are joined, separated by a hyphen, replaced or extended. All suggested
 * suffixes are open to everybody. An internationalised label is suggested only under suffixes whose registry accepts
 * it, and words are added only to labels in Latin script.
 */
export function* suggestionsFor({
  name,
  label,
  publicSuffix,
}: Pick<DomainName, 'name' | 'label' | 'publicSuffix'>): Generator<DomainName> {
  const isIdn = label.startsWith('xn--');
  const own = isIdn ? idnVariantsOf(domainToUnicode(label)) : variantsOf(label);
  const taken = suffixesFor(label, domainToUnicode(label));
  const suffixes = taken.filter((one) => one !== publicSuffix);
  const isHome =
    publicSuffix === 'test' || (isIdn ? taken.includes(publicSuffix) : isOpen(publicSuffix));
  const home = isHome ? publicSuffix : 'com';
  const names = [
    ...interleaved(
      suffixes.map((other) => `${label}.${other}`),
      own.map((variant) => `${variant}.${home}`),
    ),
    ...suffixes.flatMap((other) => own.map((variant) => `${variant}.${other}`)),
  ];
  for (const one of new Set(names)) {
    // Suffixes such as `me.uk` and `gov.co` cannot themselves be registered.
    const parsed = one === name ? undefined : parseDomainName(one);
    if (parsed?.ok && parsed.domain.name === one) yield parsed.domain;
  }
}

/**
 * Returns variants of a label in Latin script. Other scripts get none, because registries do not allow mixed scripts.
 */
function idnVariantsOf(unicode: string): string[] {
  if (!isLatin(unicode)) return [];
  return variantsOf(unicode)
    .map((variant) => domainToASCII(variant))
    .filter((one) => one !== '' && one.length <= LABEL_LENGTH_MAX);
}

function variantsOf(label: string): string[] {
  const words = wordsOf(label);
  const joined = words.join('');
  const last = words.at(-1)!;
  const variants = [
    ...(words.length > 1 ? [joined, words.join('-')] : []),
    ...words.flatMap((word, place) =>
      (SYNONYMS[word] ?? [])
        .filter((other) => !words.includes(other))
        .map((other) => words.with(place, other).join('')),
    ),
    ...[last.replace(/(?<!s)$/, 's'), last.replace(/(?<!s)s$/, '')]
      .filter((other) => other !== last && isWord(other))
      .map((other) => words.with(-1, other).join('')),
    ...interleaved(
      ENDINGS.map((ending) => `${joined}${ending}`),
      PREFIXES.map((prefix) => `${prefix}${joined}`),
    ),
    ...ENDINGS.map((ending) => `${joined}-${ending}`),
    ...PREFIXES.map((prefix) => `${prefix}-${joined}`),
  ];
  return variants.filter((one) => one.length >= 2 && one.length <= LABEL_LENGTH_MAX);
}

function interleaved(first: readonly string[], second: readonly string[]): string[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, i) => [first[i], second[i]])
    .flat()
    .filter((one) => one !== undefined);
}
