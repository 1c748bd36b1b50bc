const LANGUAGES = ['en', 'es', 'fr', 'de', 'pt', 'it'];

/** Spellings of countries in addresses that `Intl.DisplayNames` lacks. */
const ALIASES: Readonly<Record<string, string>> = {
  usa: 'US',
  'u.s.a': 'US',
  'u.s.': 'US',
  'u.s': 'US',
  'united states of america': 'US',
  'estados unidos de america': 'US',
  uk: 'GB',
  'great britain': 'GB',
  england: 'GB',
  'united kingdom of great britain & n. ireland': 'GB',
  'united kingdom of great britain and northern ireland': 'GB',
  holland: 'NL',
  'the netherlands': 'NL',
  'russian federation': 'RU',
  'republic of korea': 'KR',
  'korea, republic of': 'KR',
  'hong kong': 'HK',
  'czech republic': 'CZ',
  'viet nam': 'VN',
  turkey: 'TR',
  macau: 'MO',
  'ivory coast': 'CI',
  'new caledonia': 'NC',
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
  if (name.length > 60) return undefined;
  let key = name.trim().toLowerCase();
  if (key.endsWith('.')) key = key.slice(0, -1);
  return CODES.get(key) ?? CODES.get(withoutAccents(key));
}

function readNames(): void {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (const language of LANGUAGES) {
    const display = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' });
    for (const first of letters) {
      for (const second of letters) {
        const code = first + second;
        const name = display.of(code);
        if (name === undefined || 'EU EZ UN UK QO XA XB ZZ'.includes(code)) continue;
        CODES.set(name.toLowerCase(), CODES.get(name.toLowerCase()) ?? code);
        CODES.set(withoutAccents(name.toLowerCase()), code);
        if (language === 'en') NAMES.set(code, name);
      }
    }
  }
  for (const [name, code] of Object.entries(ALIASES)) CODES.set(name, code);
}

function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');
}
