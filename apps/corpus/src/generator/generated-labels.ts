import { domainToASCII } from 'node:url';

/** First words of labels. No word is a prefix of another, so that no two pairs of words form the same label. */
const FIRST =
  'alpine amber anchor apex arrow atlas autumn azure bamboo basil beacon berlin birch blue boat bold brave breeze bridge bright brook cactus candle canyon cargo cedar cherry city clear clever cliff cloud clover coast cobalt comet copper coral corner crane crisp crystal cup daily dawn delta denver diamond dragon dream dune eagle early earth east echo elder ember emerald epic evergreen falcon fern field fire first flora focus forest fox fresh frost galaxy gentle ginger glacier glow gold grand granite green grove happy harbor hawk hazel heart helm hidden high hill honey horizon ice indigo iris iron island ivory jade jasmine jet jolly juniper keen kind lagoon lake lark laurel lemon light lily linden lion little local lotus lucky lunar magnet mango maple marble meadow mellow mercury meridian mint modern moon mosaic mountain nectar neon noble north nova oak oasis ocean olive onyx opal orbit orchid otter owl pacific panda paper paris peach pearl pebble pepper phoenix pine pixel planet plum polar prairie prime pure quartz quick quiet rain rapid raven red ridge river robin rocket rose royal ruby rustic saffron sage salt sand sapphire scarlet shadow silver simple sky smart snow solar spark spring spruce star steel stone storm summit sun swan swift teal thunder tiger timber topaz tower true tulip urban valley velvet verde violet vista walnut water wave west whale wild willow wind winter wise wolf wonder yellow young zen zephyr'.split(
    ' ',
  );
const SECOND =
  'academy advisors agency analytics apparel art auto bakery bank bar beauty bikes books boutique brands brewery builders business cafe camp capital care cars cars2go casa catering center clinic clothing club coaching coffee concept consulting cooking crafts credit data dental design digital direct doors economy energy engineering events express fabrics farm fashion finance fish fitness flowers foods foundation furniture gallery games garage garden gifts glass guide hair health holidays home hosting hotel house insurance invest jewelry kids kitchen labs law learning legal lending life logistics loft market marketing media medical motors museum music networks news optics outdoor outlet parking partners parts party pay pets pharmacy photo pizza plumbing post press print properties radio realty recipes recruit rent repair resort school security services shoes skin software solutions spa sports storage store studio supply support surf systems tailor tax tea tech theater tickets tools toys trade trading training travel vet video villas vision wear web wedding wine workshop works world yoga'.split(
    ' ',
  );
const INTERNATIONAL = [
  'müller',
  'bäckerei',
  'grün',
  'schön',
  'käse',
  'señor',
  'café',
  'crème',
  'øst',
  'åre',
  'кофе',
  'москва',
  'ελλάς',
  '東京',
  '北京',
];

type Shape = (first: string, second: string) => string;
const PLAIN: Shape = (first, second) => first + second;
const HYPHEN: Shape = (first, second) => `${first}-${second}`;
const SHAPES: readonly Shape[] = [
  PLAIN,
  HYPHEN,
  ...['the', 'my', 'get', 'go'].map(
    (word): Shape =>
      (first, second) =>
        word + first + second,
  ),
  ...['online', 'shop', 'group', 'hq', 'app', 'pro'].map(
    (word): Shape =>
      (first, second) =>
        first + second + word,
  ),
];
const NUMBERED_MAX = 40;

const COMMON: readonly [suffix: string, shapes: readonly Shape[]][] = [
  ['com', SHAPES],
  ['net', SHAPES.slice(0, 3)],
  ['org', SHAPES.slice(0, 3)],
  ['de', SHAPES.slice(0, 3)],
  ['co.uk', SHAPES.slice(0, 3)],
  ['io', SHAPES.slice(0, 2)],
  ['shop', SHAPES.slice(0, 2)],
  ...['nl', 'fr', 'eu', 'info', 'biz', 'app', 'dev', 'online', 'com.au', 'ch'].map(
    (suffix): [string, readonly Shape[]] => [suffix, [PLAIN]],
  ),
];
const pairsOf = (table: typeof COMMON) =>
  table.flatMap(([suffix, shapes]) => shapes.map((shape) => [suffix, shape] as const));
const COMMON_PAIRS = pairsOf(COMMON);
const NUMBERED_PAIRS = COMMON.flatMap(([suffix]) =>
  Array.from({ length: NUMBERED_MAX - 1 }, (_, place) => {
    const shape: Shape = (first, second) => `${first}${second}${place + 2}`;
    return [suffix, shape] as const;
  }),
);

const WORD_PAIRS = FIRST.length * SECOND.length;
const COMMON_NAMES = WORD_PAIRS * COMMON_PAIRS.length;
const NUMBERED_NAMES = WORD_PAIRS * NUMBERED_PAIRS.length;

export const GENERATED_NAMES_MAX = 20_000_000;

/** A prime number, so that its multiples reach every position before any position repeats. */
const STEP = 7_368_787;

const IMITATED = ['paymorrow', 'bankhaven', 'shopzone', 'cloudnest', 'mailgarden', 'streamly'];
const IMITATION_SUFFIXES = ['com', 'net', 'org', 'shop', 'online', 'info', 'app', 'co.uk'];
const IMITATIONS = IMITATION_SUFFIXES.flatMap((suffix) =>
  IMITATED.flatMap((brand) => imitationsOf(brand).map((label) => `${label}.${suffix}`)),
);
/** Until all imitations are used, one name in this many is an imitation. */
const IMITATION_EVERY = 64;
/** One name in this many is internationalised. */
const INTERNATIONAL_EVERY = 50;

/** Returns a name, different for each number, of words that people, businesses and their imitators use. */
export function generatedName(index: number, seed: number): string {
  if (index < IMITATED.length) return `${IMITATED[index]}.com`;
  const imitation = IMITATIONS[index / IMITATION_EVERY];
  if (imitation !== undefined) return imitation;
  if (index < COMMON_NAMES) return nameAt(COMMON_PAIRS, spread(index, seed, COMMON_NAMES), index);
  return nameAt(NUMBERED_PAIRS, spread(index - COMMON_NAMES, seed, NUMBERED_NAMES), index);
}

function spread(index: number, seed: number, size: number): number {
  return (index * STEP + seed) % size;
}

function nameAt(
  pairs: readonly (readonly [string, Shape])[],
  place: number,
  index: number,
): string {
  const [suffix, shape] = pairs[Math.floor(place / WORD_PAIRS)];
  const words = place % WORD_PAIRS;
  const first = FIRST[Math.floor(words / SECOND.length)];
  const second = SECOND[words % SECOND.length];
  const label = shape(first, second);
  if (index % INTERNATIONAL_EVERY !== 1) return `${label}.${suffix}`;
  const international = INTERNATIONAL[index % INTERNATIONAL.length];
  return `${domainToASCII(`${international}${label}`)}.${suffix}`;
}

function imitationsOf(brand: string): string[] {
  const places = Array.from(brand, (_, place) => place);
  const cut = (place: number, by: string, length = 1) =>
    brand.slice(0, place) + by + brand.slice(place + length);
  return [
    ...new Set([
      ...places.map((place) => cut(place, '')),
      ...places.map((place) => cut(place, brand[place] + brand[place])),
      ...places.slice(1).map((place) => cut(place - 1, brand[place] + brand[place - 1], 2)),
      ...['login', 'secure', 'support', 'account', 'verify', 'app'].flatMap((word) => [
        `${brand}-${word}`,
        `${word}-${brand}`,
        `${brand}${word}`,
      ]),
      brand.replace('o', '0'),
      brand.replace('l', '1'),
      brand.replace('m', 'rn'),
      ...Object.entries({ a: 'а', e: 'е', o: 'о', m: 'м', n: 'п' })
        .filter(([letter]) => brand.includes(letter))
        .map(([letter, alike]) => domainToASCII(brand.replace(letter, alike))),
    ]),
  ].filter((label) => label !== brand);
}
