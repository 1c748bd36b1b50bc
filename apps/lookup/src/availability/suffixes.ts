type Idn = 'none' | 'latin' | 'any';

/**
 * Suffixes under which anybody can register, those with the most names first. Each value says which internationalised
 * labels the registry accepts, according to its IDN tables.
 */
const OFFERED: Readonly<Record<string, Idn>> = {
  com: 'any',
  net: 'any',
  org: 'any',
  io: 'none',
  co: 'none',
  app: 'latin',
  dev: 'latin',
  ai: 'none',
  xyz: 'any',
  info: 'any',
  online: 'any',
  shop: 'any',
  store: 'any',
  site: 'any',
  tech: 'any',
  biz: 'any',
  me: 'none',
  cloud: 'latin',
  eu: 'latin',
  us: 'none',
  de: 'latin',
  uk: 'none',
  nl: 'none',
  fr: 'latin',
  ch: 'latin',
  at: 'latin',
  se: 'latin',
};

/** Further suffixes under which anybody can register. Each is suggested only for names that are themselves under it. */
const OPEN = new Set(
  (
    'agency art asia auction band bar beer berlin best bet bid bike bio blog boutique builders business buzz cab cafe ' +
    'camera camp capital care careers cars cash casino catering cc center chat church city claims cleaning click ' +
    'clinic clothing club codes coffee community company computer condos consulting contractors cool country coupons ' +
    'credit cruises dance date dating deals degree delivery democrat dental design diamonds diet digital direct ' +
    'directory discount dog domains download earth education email energy engineering enterprises equipment estate ' +
    'events exchange expert exposed express fail faith family fan farm fashion finance financial fish fit fitness ' +
    'flights florist football foundation fun fund furniture futbol fyi gallery game games garden gift gifts glass ' +
    'global gold golf graphics gratis green gripe group guide guitars guru haus health help hiphop hockey holdings ' +
    'holiday horse host hosting house immo in industries ink institute international investments irish it jewelry jobs ' +
    'jp kim kitchen land law lawyer lease legal li life lighting limited limo link live loan loans lol love ltd luxe ' +
    'maison management market marketing mba media memorial men mobi moda money mortgage movie navy network news ninja ' +
    'one partners parts party pet photo photography photos pics pictures pizza plumbing plus porn press pro ' +
    'productions promo properties pub pw quest racing realty recipes red rehab rent rentals repair report republican ' +
    'rest restaurant review reviews rip rocks run sale salon school schule science services sexy shoes show singles ' +
    'ski soccer social software solar solutions space stream studio study style sucks supplies supply support surf ' +
    'surgery systems tattoo tax taxi team technology tennis theater tienda tips tires tk to today tools top tours town ' +
    'toys trade trading training tube tv university uno vacations ventures vet viajes video villas vin vip vision vodka ' +
    'vote voyage watch webcam website wedding wiki wiki win wine work works world wtf yoga zone be ca cz dk es fi gg gr hu ' +
    'ie im is la lt lv mx nu pe ph pl pt ro rs ru sg si sk so su tw ua vc ws za ' +
    'co.uk org.uk me.uk co.in co.nz org.nz net.nz co.za com.br com.cn com.mx com.tr com.ua com.pl com.tw com.sg com.hk ' +
    'com.co com.pe com.ph com.ar co.id co.il co.jp co.kr or.kr uk.com us.com eu.com de.com br.com cn.com co.com'
  ).split(' '),
);

/**
 * Returns the suffixes that may be suggested for a label, those with the most names first. @param label the label in
 * ASCII. @param unicode the same label in Unicode.
 */
export function suffixesFor(label: string, unicode: string): string[] {
  const suffixes = Object.keys(OFFERED);
  if (!label.startsWith('xn--')) return suffixes;
  return suffixes.filter(
    (suffix) => OFFERED[suffix] === 'any' || (isLatin(unicode) && OFFERED[suffix] === 'latin'),
  );
}

export function isLatin(unicode: string): boolean {
  return /^[\p{Script=Latin}\d-]+$/u.test(unicode);
}

/**
 * True if anybody can register under a suffix. Suffixes such as `gov.uk`, `edu` or a company's own TLD are restricted.
 */
export function isOpen(suffix: string): boolean {
  return Object.hasOwn(OFFERED, suffix) || OPEN.has(suffix);
}
