const LABEL_LENGTH_MAX = 63;

/** Suffixes by how many names they have; the one that was asked for comes before them. */
const SUFFIXES = [
  'com',
  'net',
  'org',
  'io',
  'co',
  'app',
  'dev',
  'ai',
  'xyz',
  'info',
  'online',
  'shop',
  'store',
  'site',
  'tech',
  'biz',
  'me',
  'cloud',
  'eu',
  'us',
  'de',
  'uk',
  'nl',
  'fr',
  'ch',
  'at',
  'se',
] as const;
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

/** Words that are often part of names, with words that may stand for them. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  buy: ['shop', 'get'],
  car: ['auto'],
  cheap: ['budget', 'value'],
  cloud: ['sky'],
  code: ['dev'],
  data: ['info', 'facts'],
  fast: ['quick', 'rapid', 'swift'],
  food: ['eats', 'kitchen'],
  home: ['house', 'place'],
  host: ['server'],
  job: ['work', 'career'],
  mail: ['post', 'inbox'],
  news: ['daily', 'times'],
  photo: ['pic', 'image'],
  shop: ['store', 'market'],
  smart: ['clever', 'bright'],
  store: ['shop', 'market'],
  tech: ['digital', 'labs'],
  travel: ['trip', 'tour'],
  web: ['net', 'site'],
};

/**
 * Names like one, best first, without an end of repeats and without the name itself: the same label under
 * other suffixes, words joined or parted by a hyphen, words around it, words in place of others.
 *
 * @param label of the registrable name, an A-label; one of an internationalised name is only moved to other suffixes.
 */
export function suggestionsFor(label: string, suffix: string): string[] {
  const isPlain = !label.startsWith('xn--');
  const own = isPlain ? variantsOf(label) : [];
  const suffixes = SUFFIXES.filter((one) => one !== suffix);
  const names = [
    ...interleaved(
      suffixes.map((other) => `${label}.${other}`),
      own.map((variant) => `${variant}.${suffix}`),
    ),
    ...suffixes.flatMap((other) => own.map((variant) => `${variant}.${other}`)),
  ];
  const seen = new Set([`${label}.${suffix}`]);
  return names.filter((name) => !seen.has(name) && seen.add(name));
}

function variantsOf(label: string): string[] {
  const words = wordsOf(label);
  const joined = words.join('');
  const variants = [
    ...(words.length > 1 ? [joined, words.join('-')] : []),
    ...words.flatMap((word, place) =>
      (SYNONYMS[word] ?? []).map((other) => words.with(place, other).join('')),
    ),
    joined.endsWith('s') ? joined.slice(0, -1) : `${joined}s`,
    ...interleaved(
      ENDINGS.map((ending) => `${joined}${ending}`),
      PREFIXES.map((prefix) => `${prefix}${joined}`),
    ),
    ...ENDINGS.map((ending) => `${joined}-${ending}`),
    ...PREFIXES.map((prefix) => `${prefix}-${joined}`),
  ];
  return variants.filter((one) => one.length >= 2 && one.length <= LABEL_LENGTH_MAX);
}

/** Parts a label at hyphens, and a part of two known words between them. */
function wordsOf(label: string): string[] {
  return label
    .split('-')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const known = Object.keys(SYNONYMS).find(
        (word) => part !== word && (part.startsWith(word) || part.endsWith(word)),
      );
      if (known === undefined || part.length - known.length < 2) return [part];
      return part.startsWith(known)
        ? [known, part.slice(known.length)]
        : [part.slice(0, -known.length), known];
    });
}

function interleaved(first: readonly string[], second: readonly string[]): string[] {
  const length = Math.max(first.length, second.length);
  return Array.from({ length }, (_, i) => [first[i], second[i]])
    .flat()
    .filter((one) => one !== undefined);
}
