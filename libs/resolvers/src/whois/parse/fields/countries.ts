const LANGUAGES = ['en', 'es', 'fr', 'de', 'pt', 'it'];

/** Spellings of countries in addresses that `Intl.DisplayNames` lacks, among them the names in ISO 3166. */
const ALIASES: Readonly<Record<string, string>> = {
  usa: 'US',
  'u.s.a': 'US',
  'u.s': 'US',
  'united states of america': 'US',
  'estados unidos de america': 'US',
  uk: 'GB',
  'great britain': 'GB',
  england: 'GB',
  'united kingdom of great britain and n. ireland': 'GB',
  'united kingdom of great britain and northern ireland': 'GB',
  holland: 'NL',
  'the netherlands': 'NL',
  'russian federation': 'RU',
  'republic of korea': 'KR',
  'korea, republic of': 'KR',
  "korea, democratic people's republic of": 'KP',
  'hong kong': 'HK',
  'czech republic': 'CZ',
  'viet nam': 'VN',
  turkey: 'TR',
  macau: 'MO',
  macao: 'MO',
  'ivory coast': 'CI',
  'new caledonia': 'NC',
  'bolivia, plurinational state of': 'BO',
  'bonaire, sint eustatius and saba': 'BQ',
  'congo, the democratic republic of the': 'CD',
  'falkland islands (malvinas)': 'FK',
  'holy see (vatican city state)': 'VA',
  'iran, islamic republic of': 'IR',
  'iran (islamic republic of)': 'IR',
  "lao people's democratic republic": 'LA',
  'macedonia, the former yugoslav republic of': 'MK',
  'micronesia, federated states of': 'FM',
  'moldova, republic of': 'MD',
  palestine: 'PS',
  'palestine, state of': 'PS',
  pitcairn: 'PN',
  'saint helena, ascension and tristan da cunha': 'SH',
  'saint martin (french part)': 'MF',
  'saint vincent and the grenadines': 'VC',
  'sint maarten (dutch part)': 'SX',
  swaziland: 'SZ',
  'syrian arab republic': 'SY',
  'taiwan, province of china': 'TW',
  'tanzania, united republic of': 'TZ',
  'venezuela, bolivarian republic of': 'VE',
  'virgin islands (british)': 'VG',
  'virgin islands, british': 'VG',
  'virgin islands (u.s.)': 'VI',
  'virgin islands, u.s': 'VI',
};

const CODES = new Map<string, string>();
const NAMES = new Map<string, string>();
readNames();

/**
 * Returns the ISO 3166 code and the English name for a country's code, which a name may accompany: `US (United
 * States)`. Any other text is returned as the name, with the code if the name is known.
 */
export function readCountry(text: string): { code?: string; name?: string } {
  const plain = text.trim();
  if (plain.length === 2) {
    const code = plain.toUpperCase();
    return NAMES.has(code) || code === 'UK' ? { code, name: NAMES.get(code) } : { name: plain };
  }
  if (plain[2] === ' ' && plain[3] === '(') return readCountry(plain.slice(0, 2));
  if (plain.at(-4) === '(' && plain.endsWith(')')) return readCountry(plain.slice(-3, -1));
  const code = countryCode(plain);
  return { code, name: plain };
}

/** Returns the code for a country's name; undefined for anything else. */
export function countryCode(name: string): string | undefined {
  return name.length > 60 ? undefined : CODES.get(keyOf(name));
}

function readNames(): void {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const [english, ...others] = LANGUAGES.map(
    (language) => new Intl.DisplayNames([language], { type: 'region', fallback: 'none' }),
  );
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const name = english.of(code);
    if (name === undefined || 'EU EZ UN UK QO XA XB ZZ'.includes(code)) continue;
    NAMES.set(code, name);
    if (!isCurrent(code)) continue;
    for (const one of [name, ...others.map((language) => language.of(code) ?? name)]) {
      CODES.set(keyOf(one), code);
    }
  }
  for (const [name, code] of Object.entries(ALIASES)) CODES.set(name, code);
}

/** False for a former code, such as `FX` or `SU`, which has the same name as the code that replaced it. */
function isCurrent(code: string): boolean {
  return new Intl.Locale(`und-${code}`).region === code;
}

/** Returns a form that is the same for `St. Kitts & Nevis` and `Saint Kitts and Nevis`, without accents. */
function keyOf(name: string): string {
  const key = name
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('’', "'")
    .replace(/^st\.? /, 'saint ')
    .replaceAll(' & ', ' and ');
  return key.endsWith('.') ? key.slice(0, -1) : key;
}
