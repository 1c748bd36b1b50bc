/** The letters that distinguish the names of months in the languages that registries use. */
const MONTH_STEMS: readonly (readonly string[])[] = [
  ['jan', 'ene', 'gen', 'oca', 'ian'],
  ['feb', 'fev', 'fév', 'şub', 'sub'],
  ['mar', 'mär', 'maa', 'mrt'],
  ['apr', 'abr', 'avr', 'nis'],
  ['may', 'mai', 'mag', 'mei', 'maj'],
  ['jun', 'giu', 'haz', 'juin', 'iun'],
  ['jul', 'lug', 'tem', 'juil', 'iul'],
  ['aug', 'ago', 'aoû', 'aou', 'ağu', 'agu'],
  ['sep', 'set', 'eyl'],
  ['oct', 'out', 'okt', 'ott', 'eki'],
  ['nov', 'kas', 'noi'],
  ['dec', 'dic', 'dez', 'déc', 'ara', 'des'],
];

/** Offsets in minutes east of UTC, by the zone abbreviations that WHOIS servers print. */
const ZONE_OFFSETS: Readonly<Record<string, number>> = {
  z: 0,
  utc: 0,
  gmt: 0,
  wet: 0,
  west: 60,
  bst: 60,
  ist: 330,
  wat: 60,
  cet: 60,
  met: 60,
  cest: 120,
  sast: 120,
  cat: 120,
  eet: 120,
  eest: 180,
  eat: 180,
  msk: 180,
  msd: 240,
  trt: 180,
  irst: 210,
  pkt: 300,
  ict: 420,
  hkt: 480,
  sgt: 480,
  myt: 480,
  cst: 480,
  jst: 540,
  kst: 540,
  aest: 600,
  aedt: 660,
  nzst: 720,
  nzdt: 780,
  brst: -120,
  art: -180,
  brt: -180,
  clst: -180,
  clt: -240,
  edt: -240,
  cdt: -300,
  est: -300,
  mdt: -360,
  mst: -420,
  pdt: -420,
  pst: -480,
};

const MONTHS = new Map(MONTH_STEMS.flatMap((stems, index) => stems.map((it) => [it, index + 1])));
const ZONES = new Map(Object.entries(ZONE_OFFSETS));

/** Returns 1 to 12 for a word that begins like a month's name in a supported language; undefined for another word. */
export function monthNumber(word: string): number | undefined {
  const lower = word.toLowerCase();
  if (lower.length < 3 || lower.length > 12) return undefined;
  return MONTHS.get(lower) ?? MONTHS.get(lower.slice(0, 4)) ?? MONTHS.get(lower.slice(0, 3));
}

export function zoneOffsetMinutes(word: string): number | undefined {
  return ZONES.get(word.toLowerCase());
}
